/** Requests that the services answer. */
import { counter, FAST, seconds } from "../Family.ts"

export const HTTP_REQUESTS = counter({
  name: "sweep_http_requests_total",
  help: "Requests, by the pattern of their route and the status of the response.",
  labels: {
    route: "Pattern of the path, such as `/intents/:id`. `unmatched` for other paths.",
    method: "Method of the request. `other` for unusual ones.",
    status: "Status of the response. 499: the client left before it."
  }
})

export const HTTP_DURATION = seconds({
  name: "sweep_http_request_duration_seconds",
  help: "Time until the response to a request begins, in seconds.",
  labels: { route: "Pattern of the path." },
  buckets: FAST
})
