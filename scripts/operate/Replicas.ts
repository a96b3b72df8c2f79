/** Two replicas of each service, which an operator starts, kills and restarts one after another. */
import { Effect } from "effect"
import type { Balancer } from "./Balancer.ts"
import * as Replica from "./Replica.ts"
import { failed } from "./Report.ts"
import type { Shell } from "./Shell.ts"

type Service = Replica.Service

export const make = (shell: Shell, balancers: Readonly<Record<Service, Balancer>>) => {
  const running: Record<Service, ReadonlyArray<Replica.Replica>> = { orchestrator: [], "builder-backend": [] }

  const use = (service: Service, replicas: ReadonlyArray<Replica.Replica>) => {
    running[service] = replicas
    return balancers[service].use(replicas)
  }

  const first = (service: Service) =>
    running[service][0] === undefined ? Effect.fail(failed(`no ${service} runs`)) : Effect.succeed(running[service][0])

  /** Starts one more replica, behind the others. */
  const startOne = Effect.fnUntraced(function* (service: Service) {
    const replica = yield* Replica.start(shell, service)
    yield* use(service, [...running[service], replica])
  })

  const startAll = Effect.forEach(
    ["builder-backend", "orchestrator", "builder-backend", "orchestrator"] as const,
    startOne,
    { concurrency: 2, discard: true }
  )

  const kill = Effect.fnUntraced(function* (service: Service) {
    const victim = yield* first(service)
    yield* victim.kill
    yield* use(service, running[service].slice(1))
  })

  /** Stops the oldest replica as a container platform does. Returns its milliseconds until the end. */
  const stop = Effect.fnUntraced(function* (service: Service) {
    const oldest = yield* first(service)
    const took = yield* oldest.stop
    yield* use(service, running[service].slice(1))
    return took
  })

  /** Restarts all replicas of a service, one after another. */
  const restart = Effect.fnUntraced(function* (service: Service) {
    for (const _ of running[service]) {
      yield* stop(service)
      yield* startOne(service)
    }
  })

  const stopAll = Effect.gen(function* () {
    const times: Array<number> = []
    for (const service of ["orchestrator", "builder-backend"] as const) {
      while (running[service].length > 0) times.push(yield* stop(service))
    }
    return Math.max(...times)
  })

  const urls = (service: Service): ReadonlyArray<string> => running[service].map(({ url }) => url)

  return { urls, kill, restart, startAll, startOne, stopAll }
}

export type Replicas = ReturnType<typeof make>
