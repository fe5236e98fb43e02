"""Which names are of one thing: pure, no I/O."""
