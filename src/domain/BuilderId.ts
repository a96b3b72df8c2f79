/** Form of a builder's id. Pages use it without the schemas of builders, which are larger. */

export const BUILDER_ID = /^[A-Za-z0-9_][A-Za-z0-9_.:@-]{0,127}$/

/** The form in words. */
export const BUILDER_ID_FORM = "1 to 128 letters, digits or _ . : @ -, the first a letter, digit or _"
