/** Settings of the stop of a service. */
import { integer, setting } from "./Setting.ts"

export const stopping = {
  drainSeconds: setting({
    name: "DRAIN_SECONDS",
    default: 1,
    check: integer({ from: 0, to: 300 }),
    meaning:
      "Time after SIGTERM in which a service still answers requests while `GET /readyz` returns 503, in seconds, so that load balancers leave it first. Requests in flight then have 3 seconds. With more than 4, tell Docker or Kubernetes to wait for more than 10 seconds."
  })
} as const
