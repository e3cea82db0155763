/* Nothing: what it declares is not there, see absent.c. */
