"""From turns to evidence to what is believed of a person."""
