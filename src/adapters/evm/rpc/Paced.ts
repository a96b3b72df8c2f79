/** An endpoint whose requests keep its budget. Its answers and refusals teach the budget. */
import { Cause, Clock, Effect, Exit, Option } from "effect"
import type { Priority } from "../../../ports/shared/Priority.ts"
import { RPC_DURATION, RPC_REQUESTS, RPC_WAIT } from "../../../telemetry/metrics/Upstreams.ts"
import { timed } from "../../../telemetry/Timed.ts"
import type * as Budget from "./Budget.ts"
import * as CallCost from "./CallCost.ts"
import { type Endpoint, RateLimited, RpcError, type RpcFailure } from "./JsonRpc.ts"
import * as Turns from "./Turns.ts"

/** An endpoint that knows when it can be asked. */
export interface PacedEndpoint extends Endpoint {
  /** Milliseconds until a call of this priority would be sent. 0: at once. `now` in UNIX milliseconds. */
  readonly waitMillis: (priority: Priority, now: number) => number
}

const ONE_CALL = CallCost.ofMethod("eth_call")

const outcomeOf = (exit: Exit.Exit<unknown, unknown>): "answered" | "failed" | "limited" => {
  if (Exit.isSuccess(exit)) return "answered"
  const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (failure instanceof RpcError) return "answered"
  return failure instanceof RateLimited ? "limited" : "failed"
}

/** Limits `endpoint`, which has to be unpaced. The chain is that of its metrics. */
export const make = (endpoint: Endpoint, limits: Budget.Limits, chainId: number): Effect.Effect<PacedEndpoint> =>
  Effect.map(Clock.currentTimeMillis, (startMillis) => {
    const { name } = endpoint
    const labels = { chain_id: String(chainId), endpoint: name }
    /** A request that nobody awaits any more, such as a hedged one, is not counted. */
    const counted = timed((exit, seconds) =>
      Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause)
        ? Effect.void
        : Effect.andThen(
            RPC_REQUESTS.record(1, { ...labels, outcome: outcomeOf(exit) }),
            RPC_DURATION.record(seconds, labels)
          )
    )
    const waited = timed((_, seconds) => RPC_WAIT.record(seconds, labels))
    const turns = Turns.make(limits, startMillis)

    const eventOf = (exit: Exit.Exit<unknown, RpcFailure>, cost: Budget.Cost, sentAt: number) => {
      if (Exit.isSuccess(exit)) return { _tag: "Answered", cost } as const
      const failure = Option.getOrUndefined(Exit.findErrorOption(exit))
      switch (failure?._tag) {
        case "RpcError":
          return { _tag: "Answered", cost } as const
        case "RateLimited":
          return { _tag: "Limited", sentAt, retryAfterMillis: failure.retryAfterMillis } as const
        default:
          return undefined
      }
    }

    const paced = <A>(cost: Budget.Cost, answer: Effect.Effect<A, RpcFailure>): Effect.Effect<A, RpcFailure> =>
      Effect.matchEffect(waited(turns.take(cost)), {
        onFailure: (millis) =>
          Effect.andThen(
            RPC_REQUESTS.record(1, { ...labels, outcome: "budget" }),
            Effect.fail(
              new RateLimited({
                endpoint: name,
                detail: `its budget is used up for ${millis} ms`,
                retryAfterMillis: millis
              })
            )
          ),
        onSuccess: (sentAt) =>
          Effect.onExit(counted(answer), (exit) => {
            const event = eventOf(exit, cost, sentAt)
            return event === undefined
              ? Effect.void
              : Effect.map(Clock.currentTimeMillis, (now) => turns.record(event, now))
          })
      })

    return {
      name,
      request: (method, params) => paced(CallCost.ofMethod(method), endpoint.request(method, params)),
      requestAll: (lookups) => paced(CallCost.ofCalls(lookups), endpoint.requestAll(lookups)),
      waitMillis: (priority, now) => turns.waitOf(ONE_CALL, priority, now)
    }
  })
