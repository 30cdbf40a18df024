"""Games of wilddeck that are no part of it: models of a package of one's own."""
