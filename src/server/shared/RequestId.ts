/** The id by which a client, the log and an operator speak of the same request. */
import type { SecureRandom } from "effect/crypto"
import { Effect } from "effect"
import type { HttpServerRequest } from "effect/http"

export const HEADER = "x-request-id"

/** What is taken over from a caller: nothing that could break a log line or grow it. */
const VALID = /^[A-Za-z0-9._-]{1,128}$/

/** The caller's id when it is valid, else a new one. */
export const make =
  (random: SecureRandom.SecureRandom["Service"]) => (request: HttpServerRequest.HttpServerRequest) => {
    const given = request.headers[HEADER]
    return given !== undefined && VALID.test(given) ? Effect.succeed(given) : random.uuidV4()
  }
