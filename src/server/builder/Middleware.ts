/** Access control: sessions, API keys, origins, self-signup and the admin console. */
import { Effect, Layer, Option } from "effect"
import { HttpServerRequest } from "effect/http"
import { ForbiddenOrigin, SignupDisabled } from "../../api/builder/Errors.ts"
import {
  ConsoleOnly,
  CurrentOperator,
  CurrentSession,
  KeyOwner,
  ReadKeyOnly,
  SameSiteOnly,
  SessionOnly,
  SignupOpen
} from "../../api/builder/Middleware.ts"
import { Unauthorized } from "../../api/shared/Errors.ts"
import { OperatorOnly } from "../../api/shared/Middleware.ts"
import { BuilderSettings } from "../../builder/shared/BuilderSettings.ts"
import { KeyDesk } from "../../builder/account/KeyDesk.ts"
import { SignIn } from "../../builder/account/SignIn.ts"
import { OperatorAssertions } from "../../ports/builder/OperatorAssertions.ts"
import * as Failures from "./Failures.ts"

const session = Layer.effect(
  SessionOnly,
  Effect.map(SignIn, (signIn) =>
    SessionOnly.of({
      session: Effect.fnUntraced(function* (handler, { credential }) {
        const builder = yield* Effect.catchTags(signIn.current(credential), Failures.store)
        if (Option.isNone(builder)) return yield* new Unauthorized()
        return yield* Effect.provideService(handler, CurrentSession, { builder: builder.value, token: credential })
      })
    })
  )
)

const readKey = Layer.effect(
  ReadKeyOnly,
  Effect.map(KeyDesk, (desk) =>
    ReadKeyOnly.of({
      readKey: Effect.fnUntraced(function* (handler, { credential }) {
        const builder = yield* Effect.catchTags(desk.authorize(credential, "read"), Failures.readKey)
        return yield* Effect.provideService(handler, KeyOwner, builder)
      })
    })
  )
)

const sameSite = Layer.effect(
  SameSiteOnly,
  Effect.map(BuilderSettings, ({ dashboardOrigins }) =>
    SameSiteOnly.of(
      Effect.fnUntraced(function* (handler) {
        const { host, origin } = (yield* HttpServerRequest.HttpServerRequest).headers
        const isOurs = origin === undefined || dashboardOrigins.includes(origin) || URL.parse(origin)?.host === host
        return yield* isOurs ? handler : Effect.fail(new ForbiddenOrigin())
      })
    )
  )
)

const signupOpen = Layer.effect(
  SignupOpen,
  Effect.map(BuilderSettings, ({ selfSignupEnabled }) =>
    SignupOpen.of((handler) => (selfSignupEnabled ? handler : Effect.fail(new SignupDisabled())))
  )
)

const ADMIN_TOKEN = { name: "admin-token" }

/** With a gateway, its assertion is the only credential, and the admin token does not open the console. */
const console = Layer.effect(
  ConsoleOnly,
  Effect.gen(function* () {
    const { gatewayHeader } = yield* BuilderSettings
    const assertions = yield* OperatorAssertions
    const adminToken = yield* OperatorOnly
    return ConsoleOnly.of({
      consoleToken: Effect.fnUntraced(function* (handler, options) {
        if (gatewayHeader === undefined) {
          return yield* adminToken.operatorToken(Effect.provideService(handler, CurrentOperator, ADMIN_TOKEN), options)
        }
        const assertion = (yield* HttpServerRequest.HttpServerRequest).headers[gatewayHeader.toLowerCase()]
        if (assertion === undefined) return yield* new Unauthorized()
        const { operator } = yield* assertions.verify(assertion).pipe(
          Effect.tapError((rejected) => Effect.logWarning(rejected.message)),
          Effect.mapError(() => new Unauthorized())
        )
        return yield* Effect.provideService(handler, CurrentOperator, { name: operator })
      })
    })
  })
)

export const layer = Layer.mergeAll(session, readKey, sameSite, signupOpen, console)
