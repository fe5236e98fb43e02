"""How good answers are: questions that say what an answer must hold, and pure functions that score a search."""
