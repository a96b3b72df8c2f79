/**
 * Keeps spans free of secrets, whatever is traced: of attributes only those of a list are kept, and of a failure only its name.
 * Requests and their errors carry URLs, and URLs carry keys. Chooses also which traces are recorded.
 */
import { Cause, Exit, Option, Predicate, Tracer } from "effect"
import { isSampled } from "../../domain/TraceContext.ts"

/** Attributes whose values are chosen by this service. */
const KEPT = new Set([
  "error.type",
  "http.request.method",
  "http.response.status_code",
  "http.route",
  "sweep.event",
  "sweep.topic"
])

const nameOf = (reason: Cause.Reason<unknown>): string => {
  if (Cause.isInterruptReason(reason)) return "Interrupted"
  const thrown = Cause.isFailReason(reason) ? reason.error : reason.defect
  if (Predicate.hasProperty(thrown, "_tag") && typeof thrown._tag === "string") return thrown._tag
  return thrown instanceof Error ? thrown.name : "Defect"
}

/** The exit with nothing of its failure but the name. */
export const masked = (exit: Exit.Exit<unknown, unknown>): Exit.Exit<unknown, unknown> => {
  if (Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause)) return exit
  const [first] = exit.cause.reasons
  const name = first === undefined ? "Error" : nameOf(first)
  const error = new Error(name)
  error.name = name
  error.stack = name
  return Exit.fail(error)
}

const withoutSecrets = (span: Tracer.Span): Tracer.Span => {
  const end = span.end.bind(span)
  const attribute = span.attribute.bind(span)
  span.end = (time, exit) => end(time, masked(exit))
  span.attribute = (key, value) => {
    if (KEPT.has(key)) attribute(key, value)
  }
  // Logs are exported as logs.
  span.event = () => undefined
  return span
}

/** Wraps a tracer. `percent`: share of traces that are recorded. */
export const make = (inner: Tracer.Tracer, percent: number): Tracer.Tracer =>
  Tracer.make({
    ...inner,
    span: (options) => {
      const parent = Option.getOrUndefined(options.parent)
      if (parent?._tag === "Span") return withoutSecrets(inner.span({ ...options, sampled: parent.sampled }))
      // A client cannot have more of its traces recorded than any other.
      if (parent !== undefined) {
        const sampled = parent.sampled && isSampled(parent.traceId, percent)
        return withoutSecrets(inner.span({ ...options, sampled }))
      }
      const root = inner.span({ ...options, sampled: true })
      return withoutSecrets(isSampled(root.traceId, percent) ? root : inner.span({ ...options, sampled: false }))
    }
  })
