"""Patches as people read them: parsed exactly, lines paired, words compared, code coloured. Pure functions."""
