/** Request ids, which connect a response with its log lines. */
import type { SecureRandom } from "effect/crypto"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

export const HEADER = "x-request-id"

/** Form of an id that a caller may choose. It can neither break a log line nor grow it. */
const VALID = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's id if it is valid, otherwise a new one. */
export const make =
  (random: SecureRandom.SecureRandom["Service"]) => (request: HttpServerRequest.HttpServerRequest) => {
    const given = request.headers[HEADER]
    return given !== undefined && VALID.test(given) ? Effect.succeed(given) : random.uuidV4()
  }
