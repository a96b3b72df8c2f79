/**
 * Limits guesses of bearer tokens. A client with too many wrong tokens in a window is refused until the window ends, even with the
 * right token, so that a guess beyond the limit reveals nothing. Other clients do not notice.
 */
import { Context, Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { RateLimiter } from "effect/persistence"
import { RateLimitExceeded, Unauthorized } from "../../api/shared/Errors.ts"
import * as ClientAddress from "./ClientAddress.ts"
import { retryAfterSeconds } from "./RetryAfter.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** Wrong tokens of one client in a window. */
const LIMIT = 20

const WINDOW = "1 minute"

/** Service whose tokens are guessed. Services with a common store count their guesses apart. */
export class GuessedService extends Context.Service<GuessedService, "orchestrator" | "builder-backend">()(
  "sweep/server/GuessedService"
) {
  static readonly layer = (service: GuessedService["Service"]) => Layer.succeed(GuessedService, service)
}

/**
 * Makes `judge(isRight)`, which succeeds for a right token. Fails with {@link Unauthorized} for a wrong one, and with
 * {@link RateLimitExceeded} for any token of a client that has used up its guesses. If the store fails, only the token counts.
 */
export const make = Effect.gen(function* () {
  const limiter = yield* RateLimiter.RateLimiter
  const { trustedProxyHops } = yield* ServerSettings
  const service = yield* GuessedService

  return Effect.fnUntraced(function* (isRight: boolean) {
    const request = yield* HttpServerRequest.HttpServerRequest
    const key = `wrong-token:${service}:${ClientAddress.guesserKey(request, trustedProxyHops)}`
    // A right token only looks: it is refused when not one more guess is left.
    const left = yield* limiter
      .consume({ key, limit: LIMIT, window: WINDOW, tokens: isRight ? 0 : 1 })
      .pipe(
        Effect.catch(({ reason }) =>
          reason._tag === "RateLimitExceeded"
            ? Effect.fail(new RateLimitExceeded({ retryAfterSeconds: retryAfterSeconds(reason.retryAfter) }))
            : Effect.as(
                Effect.logWarning("the rate limit store failed; a bearer token was not counted", reason),
                undefined
              )
        )
      )
    if (!isRight) return yield* new Unauthorized()
    if (left !== undefined && left.remaining === 0) {
      return yield* new RateLimitExceeded({ retryAfterSeconds: retryAfterSeconds(left.resetAfter) })
    }
  })
})
