"""What all games share. Core knows no game."""
