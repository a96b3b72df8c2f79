/** Texts that people enter and other people read in lists, logs and on a terminal. */
import { Schema } from "effect"

/** Control characters and separators of lines, which change how the text around them is shown. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u

/** Characters that turn the direction of the text after them, so that it reads as another text (Unicode, annex 9). */
const DIRECTION = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** Characters that show nothing: those that format, those of no letter, and blanks that count as letters or symbols. */
const INVISIBLE = /[\p{Cf}\p{Mn}\p{Z}\u115f\u1160\u2800\u3164\uffa0]/gu

/** Problem of a text of at least `minimum` and at most `maximum` Unicode code points; undefined if there is none. */
const problem = (text: string, minimum: number, maximum: number): string | undefined => {
  const length = [...text].length
  if (length < minimum || length > maximum || (minimum > 0 && text.replace(INVISIBLE, "") === "")) {
    return minimum === 0 ? `expected at most ${maximum} characters` : `expected ${minimum} to ${maximum} characters`
  }
  if (CONTROL.test(text)) return "must not have control characters or line breaks"
  return DIRECTION.test(text) ? "must not have characters that change the direction of text" : undefined
}

/** One line of text. If `minimum` is above 0, at least one character is visible. */
export const plainText = ({ maximum, minimum }: { readonly minimum: number; readonly maximum: number }) =>
  Schema.String.check(Schema.makeFilter((text: string) => problem(text, minimum, maximum) ?? true))
