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

type SpanOptions = Parameters<Tracer.Tracer["span"]>[0]

/**
 * Wraps a tracer. `percent`: share of traces that are recorded.
 *
 * A client chooses the id and the flag of the trace that its request continues, so neither chooses what is recorded: the draw is by the id
 * of the new span, which is made here. Any other span of a remote parent belongs to a trace that a service of the operator began, and is
 * recorded with it (see `ContinuedTrace`).
 */
export const make = (inner: Tracer.Tracer, percent: number): Tracer.Tracer => {
  /** The span if the draw by its id records it, and otherwise one that is not recorded. */
  const drawn = (options: SpanOptions, idOf: (span: Tracer.Span) => string) => {
    const span = inner.span({ ...options, sampled: true })
    return isSampled(idOf(span), percent) ? span : inner.span({ ...options, sampled: false })
  }

  const spanOf = (options: SpanOptions): Tracer.Span => {
    const parent = Option.getOrUndefined(options.parent)
    if (parent === undefined) return drawn(options, ({ traceId }) => traceId)
    const isOfClient = parent._tag === "ExternalSpan" && options.kind === "server"
    if (isOfClient && parent.sampled) return drawn(options, ({ spanId }) => spanId)
    return inner.span({ ...options, sampled: parent.sampled && percent > 0 })
  }

  return Tracer.make({ ...inner, span: (options) => withoutSecrets(spanOf(options)) })
}
