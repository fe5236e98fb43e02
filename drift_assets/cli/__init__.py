"""The `drift` command."""


def main() -> None: ...
