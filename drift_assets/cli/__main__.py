"""`python -m drift_assets.cli`, the same as `drift`."""

from drift_assets.cli import main

main()
