/** Name of a pause's subject for people. */
import type { PauseSubject } from "../../../domain/Pause.ts"
import type { TokenBook } from "../../api/tokens.ts"

export const subjectText = (subject: PauseSubject, book: TokenBook): string => {
  switch (subject.scope) {
    case "all":
      return "All sweeps"
    case "chain":
      return book.chainName(subject.chainId)
    case "token": {
      const symbol = book.token(subject.chainId, subject.token)?.symbol ?? subject.token
      return `${symbol} on ${book.chainName(subject.chainId)}`
    }
    case "builder":
      return `Builder ${subject.builderId}`
  }
}
