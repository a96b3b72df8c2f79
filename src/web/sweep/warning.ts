/** Warnings about tokens that pose as others, advertise, or have a doubtful price. */
import type { SweepableToken } from "../../sdk/index.ts"

/** The warning in a word, and in a sentence. */
export interface Warning {
  readonly tone: "bad" | "warn" | "neutral"
  readonly word: string
  readonly text: string
}

/** The gravest warning. Undefined without one. */
export const warningOf = ({
  doubtful,
  standing
}: Pick<SweepableToken, "doubtful" | "standing">): Warning | undefined => {
  switch (standing) {
    case "impersonator":
      return {
        tone: "bad",
        word: "Impersonator",
        text: "Poses as a well-known token. It is another one, and may be worthless."
      }
    case "spam":
      return {
        tone: "bad",
        word: "Spam",
        text: "Sent to advertise or to deceive. Do not visit the site that it names."
      }
    case "unlisted":
      return { tone: "warn", word: "Unlisted", text: "No list has this token. Check its address before you sweep it." }
    case undefined:
      return doubtful === true
        ? { tone: "neutral", word: "Price in doubt", text: "The sources of its price do not agree." }
        : undefined
    default:
      // Newer services may warn of more.
      return {
        tone: "warn",
        word: "Marked",
        text: "The service warns of this token. Check its address before you sweep it."
      }
  }
}

/** True for tokens that are selected by the user only. */
export const needsCare = (token: Pick<SweepableToken, "doubtful" | "standing">): boolean =>
  warningOf(token) !== undefined
