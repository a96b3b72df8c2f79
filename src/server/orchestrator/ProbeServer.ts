/**
 * The server of a process without the role `api`: probes and metrics. It answers every other route of the service with 503, so that a
 * request that a load balancer sent here is repeated elsewhere.
 */
import { Layer } from "effect"
import { HttpApi, HttpApiBuilder } from "effect/http-api"
import { RateLimiter } from "effect/persistence"
import { System } from "../../api/orchestrator/OrchestratorApi.ts"
import type { Role } from "../../domain/Role.ts"
import * as HttpShell from "../shared/HttpShell.ts"
import * as MetricsPage from "../shared/MetricsPage.ts"
import * as RouteTable from "../shared/RouteTable.ts"
import * as ServiceServer from "../shared/ServiceServer.ts"
import * as WrongTokens from "../shared/WrongTokens.ts"
import * as Handlers from "./Handlers.ts"
import * as OrchestratorServer from "./OrchestratorServer.ts"

/** The part of the contract that every process answers. */
const Probes = HttpApi.make("orchestrator").add(System)

const elsewhere =
  (roles: ReadonlySet<Role>) =>
  (url: string): string | undefined =>
    OrchestratorServer.answers(url)
      ? `this process has no role api, only ${[...roles].join(", ")}: send the request to a process with the role api`
      : undefined

/** Every route of a process with these roles. */
export const routes = (roles: ReadonlySet<Role>) =>
  Layer.mergeAll(
    HttpApiBuilder.layer(Probes).pipe(Layer.provide(Handlers.system)),
    MetricsPage.layer.pipe(Layer.provide([RateLimiter.layer, WrongTokens.GuessedService.layer("orchestrator")])),
    HttpShell.layer({
      routes: RouteTable.make(Probes, MetricsPage.PATHS),
      cors: () => undefined,
      elsewhere: elsewhere(roles)
    })
  )

/** Listens like {@link OrchestratorServer.listen}. */
export const listen = (roles: ReadonlySet<Role>, options: ServiceServer.ListenOptions) =>
  ServiceServer.listen(routes(roles), options)
