"""Where things stand in drawings. Pure: the same input is drawn the same, and nothing is asked of the world."""
