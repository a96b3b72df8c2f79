/** `GET /.well-known/security.txt`: whom to tell about a vulnerability. 404 if the operator names nobody. */
import { Clock, Effect } from "effect"
import { HttpRouter, HttpServerResponse } from "effect/http"
import * as SecurityText from "../../domain/SecurityText.ts"
import { ServerSettings } from "./ServerSettings.ts"

/** Every path that is answered here. */
export const PATHS = [SecurityText.PATH] as const

const notFound = HttpServerResponse.jsonUnsafe({ error: "not found" }, { status: 404 })

/** The content changes once a day. */
const HEADERS = { "cache-control": "public, max-age=3600" }

/** Needs `ServerSettings`. */
export const layer = HttpRouter.use(
  Effect.fnUntraced(function* (router) {
    const { securityContact } = yield* ServerSettings
    const answer =
      securityContact === undefined
        ? Effect.succeed(notFound)
        : Effect.map(Clock.currentTimeMillis, (now) =>
            HttpServerResponse.text(`${SecurityText.lines(securityContact, now).join("\n")}\n`, {
              contentType: "text/plain; charset=utf-8",
              headers: HEADERS
            })
          )
    yield* router.add("GET", SecurityText.PATH, answer)
  })
)
