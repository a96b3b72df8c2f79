/** The console's view of the orchestrator. */
import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { CurrentOperator } from "../../api/builder/Middleware.ts"
import { NotConfigured, OrchestratorUnavailable } from "../../api/builder/OperationsApi.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import { periodOf } from "../../api/shared/MoneyQuery.ts"
import { nameOf } from "../../domain/Pause.ts"
import * as Uuid from "../../domain/Uuid.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import {
  type OperationsNotConfigured,
  type OperationsUnavailable,
  OrchestratorOperations
} from "../../ports/builder/OrchestratorOperations.ts"
import * as Failures from "./Failures.ts"

const told = {
  OperationsNotConfigured: ({ missing }: OperationsNotConfigured) => Effect.fail(new NotConfigured({ missing })),
  OperationsUnavailable: ({ detail }: OperationsUnavailable) => Effect.fail(new OrchestratorUnavailable({ detail }))
}

export const operations = HttpApiBuilder.group(
  BuilderApi,
  "operations",
  Effect.fnUntraced(function* (handlers) {
    const audit = yield* AuditLog
    const orchestrator = yield* OrchestratorOperations
    return handlers
      .handle(
        "health",
        Effect.fn("GET /admin/operations/health")(() => orchestrator.health, Effect.catchTags(told))
      )
      .handle(
        "alerts",
        Effect.fn("GET /admin/operations/alerts")(() => orchestrator.alerts, Effect.catchTags(told))
      )
      .handle(
        "stuck",
        Effect.fn("GET /admin/operations/intents")(({ query }) => orchestrator.stuck(query), Effect.catchTags(told))
      )
      .handle(
        "treasury",
        Effect.fn("GET /admin/operations/treasury")(() => orchestrator.treasury, Effect.catchTags(told))
      )
      .handle(
        "money",
        Effect.fn("GET /admin/operations/money")(
          ({ query }) => orchestrator.money(periodOf(query)),
          Effect.catchTags(told)
        )
      )
      .handle(
        "find",
        Effect.fn("GET /admin/operations/find")(({ query: { q } }) => orchestrator.find(q), Effect.catchTags(told))
      )
      .handle(
        "story",
        Effect.fn("GET /admin/operations/intents/:id")(function* ({ params: { id } }) {
          return yield* Effect.mapError(
            Effect.fromOption(yield* orchestrator.story(Uuid.stored(id))),
            () => new NotFound()
          )
        }, Effect.catchTags(told))
      )
      .handle(
        "pauses",
        Effect.fn("GET /admin/operations/pauses")(() => orchestrator.pauses, Effect.catchTags(told))
      )
      .handle(
        "changePause",
        Effect.fn("POST /admin/operations/pauses")(
          function* ({ payload }) {
            const { name } = yield* CurrentOperator
            const details = { state: payload.state, reason: payload.reason ?? "" }
            // Written first, because the orchestrator shares no transaction with the log.
            yield* audit.append({ actor: name, action: "pause.change", subject: nameOf(payload.subject), details })
            const changed = yield* orchestrator.changePause(payload)
            return yield* Effect.mapError(Effect.fromOption(changed), () => new NotFound())
          },
          Effect.catchTags({ ...told, ...Failures.store })
        )
      )
      .handle(
        "retry",
        Effect.fn("POST /admin/operations/intents/:id/retry")(
          function* ({ params }) {
            const { name } = yield* CurrentOperator
            const id = Uuid.stored(params.id)
            // Written first, because the orchestrator shares no transaction with the log.
            yield* audit.append({ actor: name, action: "intent.retry", subject: id, details: {} })
            return yield* Effect.mapError(Effect.fromOption(yield* orchestrator.retry(id)), () => new NotFound())
          },
          Effect.catchTags({ ...told, ...Failures.store })
        )
      )
  })
)
