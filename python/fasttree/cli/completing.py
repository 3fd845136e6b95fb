"""`ftree completion`: the script by which bash, zsh or fish complete commands and options.

The scripts call ``ftree`` with typer's environment variables, which then prints the completions.
"""

from __future__ import annotations

from typing import Annotated

import typer

SCRIPTS = {
    "bash": """\
_ftree_completion() {
    local IFS=$'\\n'
    COMPREPLY=( $( env COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD \\
        _FTREE_COMPLETE=complete_bash $1 ) )
    return 0
}
complete -o default -F _ftree_completion ftree
""",
    "zsh": """\
#compdef ftree
_ftree_completion() {
    eval $(env _TYPER_COMPLETE_ARGS="${words[1,$CURRENT]}" _FTREE_COMPLETE=complete_zsh ftree)
}
compdef _ftree_completion ftree
""",
    "fish": """\
complete --command ftree --no-files --arguments "(env _FTREE_COMPLETE=complete_fish \
_TYPER_COMPLETE_FISH_ACTION=get-args _TYPER_COMPLETE_ARGS=(commandline -cp) ftree)" \
--condition "env _FTREE_COMPLETE=complete_fish _TYPER_COMPLETE_FISH_ACTION=is-args \
_TYPER_COMPLETE_ARGS=(commandline -cp) ftree"
""",
}
"""Scripts by shell."""


def completion(
    shell: Annotated[str, typer.Argument(metavar="SHELL", help="bash, zsh or fish.")],
) -> None:
    """Print the script that completes ftree's commands and options in a shell."""
    from .._checks import one_of

    print(SCRIPTS[one_of("shell", shell, tuple(SCRIPTS))], end="")


COMMANDS = (
    (
        completion,
        (
            "ftree completion bash >> ~/.bashrc",
            "ftree completion fish > ~/.config/fish/completions/ftree.fish",
        ),
    ),
)
"""Commands with their examples."""
