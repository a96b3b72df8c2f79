/** Parses messages of EIP-4361 with the parser of the `siwe` package. Nothing else of that package is used. */
import { Layer, Option } from "effect"
import { SiweMessage } from "siwe"
import * as Address from "../../domain/Address.ts"
import { SignInMessages } from "../../ports/builder/SignInMessages.ts"

/** Maximum length of a text to parse. No wallet shows longer ones in full, and the parser backtracks. */
const MAX_LENGTH = 4_096

/** A date-time of the message in the form of RFC 3339. None if it does not exist, such as second 60. */
const millis = (text: string): Option.Option<number> => {
  const value = Date.parse(text)
  return Number.isNaN(value) ? Option.none() : Option.some(value)
}

/** An optional date-time. None only if it is present and invalid. */
const optionalMillis = (text: string | undefined): Option.Option<number | undefined> =>
  text === undefined ? Option.some(undefined) : millis(text)

const parse = Option.liftThrowable((text: string) => new SiweMessage(text))

export const layer = Layer.succeed(SignInMessages, {
  parse: (text) =>
    Option.gen(function* () {
      if (text.length > MAX_LENGTH) return yield* Option.none()
      const message = yield* parse(text)
      const issuedAtMs = yield* millis(message.issuedAt ?? "")
      const expirationMs = yield* optionalMillis(message.expirationTime)
      const notBeforeMs = yield* optionalMillis(message.notBefore)
      return {
        scheme: message.scheme,
        domain: message.domain,
        address: Address.of(message.address),
        uri: message.uri,
        version: message.version,
        chainId: message.chainId,
        nonce: message.nonce,
        issuedAtMs,
        expirationMs,
        notBeforeMs
      }
    })
})
