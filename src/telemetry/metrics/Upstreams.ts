/** Services and nodes that are asked. */
import { counter, FAST, gauge, seconds } from "../Family.ts"

export const PROVIDER_REQUESTS = counter({
  name: "sweep_provider_requests_total",
  help: "Requests to outside services.",
  labels: {
    provider: "Name of the service.",
    outcome:
      "`answered`, `failed`, `abandoned` if the answer was no longer awaited, or `waiting` if the budget, a pause or the circuit let no request through."
  }
})

export const PROVIDER_DURATION = seconds({
  name: "sweep_provider_request_duration_seconds",
  help: "Time until an outside service has answered or failed, in seconds.",
  labels: { provider: "Name of the service." },
  buckets: FAST
})

export const PROVIDER_STATE = gauge({
  name: "sweep_provider_state",
  help: "1 for the state that the circuit of an outside service is in.",
  labels: { provider: "Name of the service.", state: "`closed`, `open`, `half_open` or `paused`." }
})

export const SHARED_ANSWERS = counter({
  name: "sweep_shared_answers_total",
  help: "Answers of outside services that replicas share in Redis.",
  labels: {
    kind: "Kind of the answer, such as `risk_opinion`.",
    outcome:
      "`shared` if another replica had asked, `asked` if this one did, or `away` if it did because Redis is away."
  }
})

export const RPC_REQUESTS = counter({
  name: "sweep_rpc_requests_total",
  help: "Requests to nodes. A batch of calls is one request.",
  labels: {
    chain_id: "Id of the chain.",
    endpoint: "Host of the endpoint.",
    outcome:
      "`answered`, `failed`, `limited` if the node refused for the rate, or `budget` if the own budget let none through."
  }
})

export const RPC_DURATION = seconds({
  name: "sweep_rpc_request_duration_seconds",
  help: "Time until a node has answered or failed, without the wait for the budget, in seconds.",
  labels: { chain_id: "Id of the chain.", endpoint: "Host of the endpoint." },
  buckets: FAST
})

export const RPC_WAIT = seconds({
  name: "sweep_rpc_budget_wait_seconds",
  help: "Time that requests to nodes waited for the budget of their endpoint, in seconds.",
  labels: { chain_id: "Id of the chain.", endpoint: "Host of the endpoint." },
  buckets: FAST
})

export const CHAIN_HEAD_AGE = gauge({
  name: "sweep_chain_head_age_seconds",
  help: "Time since the service last saw a new block of the chain, in seconds.",
  labels: { chain_id: "Id of the chain." }
})

export const SCREENING_LIST_AGE = gauge({
  name: "sweep_screening_list_age_seconds",
  help: "Age of the sanctions list in use, in seconds. Absent if no list is configured, infinite if none was read.",
  labels: {}
})
