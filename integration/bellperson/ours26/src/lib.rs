//! Holds nothing: the tests are in `../suite`, the same for both packages.
