/** The process itself, and what it watches. */
import { counter, FAST, gauge, seconds } from "../Family.ts"

export const INFO = gauge({
  name: "sweep_build_info",
  help: "1, with the version of the running service.",
  labels: { service: "`orchestrator` or `builder-backend`.", version: "Version." }
})

export const LOOP_DELAY = seconds({
  name: "sweep_event_loop_delay_seconds",
  help: "Delay with which the event loop starts a task that is due, measured twice a second, in seconds.",
  labels: {},
  buckets: FAST
})

export const ALERTS = gauge({
  name: "sweep_alerts",
  help: "Standing alerts of the service.",
  labels: { kind: "Kind of the alert.", severity: "`critical` or `warning`." }
})

export const SAMPLES = counter({
  name: "sweep_telemetry_samples_total",
  help: "Rounds in which the gauges of the database were read.",
  labels: {
    outcome: "`complete`, or `partial` if something did not answer. Gauges without an answer keep their value."
  }
})

export const LOOP_FAILURES = counter({
  name: "sweep_background_failures_total",
  help: "Rounds of background loops that failed.",
  labels: { loop: "Name of the loop." }
})
