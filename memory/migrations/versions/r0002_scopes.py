"""A row a scope: its version, by which other processes notice a change.

Revision: 0002, after 0001.
"""

from __future__ import annotations

import secrets

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    scopes = op.create_table(
        "scopes",
        sa.Column("tenant", sa.String, primary_key=True),
        sa.Column("user_id", sa.String, primary_key=True),
        sa.Column("agent", sa.String, primary_key=True),
        sa.Column("epoch", sa.BigInteger, nullable=False),
        sa.Column("appended", sa.Integer, nullable=False),
        sa.Column("erased", sa.Integer, nullable=False),
    )
    counted = "SELECT tenant, user_id, agent, max(position) + 1 FROM turns GROUP BY tenant, user_id, agent"
    names = ("tenant", "user_id", "agent", "appended")
    rows = [dict(zip(names, row, strict=True)) for row in op.get_bind().execute(sa.text(counted))]
    op.bulk_insert(scopes, [{**row, "epoch": secrets.randbits(62), "erased": 0} for row in rows])


def downgrade() -> None:
    op.drop_table("scopes")
