"""The turn log: one table, a row a turn.

Revision: 0001, the first.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "turns",
        sa.Column("tenant", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("agent", sa.String, primary_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("turn_id", sa.String, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.UniqueConstraint("tenant", "user_id", "agent", "turn_id", name="turns_turn_id_once_per_scope"),
    )


def downgrade() -> None:
    op.drop_table("turns")
