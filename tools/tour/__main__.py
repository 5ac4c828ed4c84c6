"""Print each article's table; exit with 1 if a number does not agree."""

import sys

from tools.tour import language_model_rl, mathematical_tools, sampling_to_reinforce
from tools.tour.table import render


def main() -> int:
    """The tables of all articles; the number of the exit status."""
    articles = [article.article() for article in (sampling_to_reinforce, mathematical_tools, language_model_rl)]
    print("\n\n".join(render(article) for article in articles))
    return 0 if all(row.holds() for article in articles for row in article.rows) else 1


if __name__ == "__main__":
    sys.exit(main())
