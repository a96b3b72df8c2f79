/**
 * Bodies of notices about alerts: for webhooks by Standard Webhooks, for Slack's incoming webhooks, and for PagerDuty's Events API v2
 * (developer.pagerduty.com/docs/events-api-v2-overview).
 */
import type { AlertSeverity, NoticeReason } from "./AlertNotice.ts"

export interface AlertMessage {
  /** Identifies the notice, not the alert. */
  readonly id: string
  readonly reason: NoticeReason | "test"
  /** Identifies the alert in all its notices. */
  readonly reference: string
  /** Service that raised the alert. */
  readonly service: string
  /** Name of the deployment. */
  readonly source: string
  readonly severity: AlertSeverity
  readonly kind: string
  readonly message: string
  readonly details: Readonly<Record<string, string | number | boolean>>
  /** UNIX time in milliseconds at which the alert was raised. */
  readonly sinceMs: number
  /** UNIX time in milliseconds of the notice. */
  readonly atMs: number
}

/** Message of `./sweep alerts test`. */
export const testMessage = (id: string, source: string, atMs: number): AlertMessage => ({
  id,
  reason: "test",
  reference: id,
  service: "command line",
  source,
  severity: "warning",
  kind: "test",
  message: "This is a test. Nothing is wrong.",
  details: {},
  sinceMs: atMs,
  atMs
})

const iso = (millis: number): string => new Date(millis).toISOString()

/** Body of a webhook. Its type is `alert.` and the reason. */
export const webhookBody = (message: AlertMessage): string =>
  JSON.stringify({
    type: `alert.${message.reason}`,
    timestamp: iso(message.atMs),
    data: {
      alert: message.reference,
      source: message.source,
      service: message.service,
      severity: message.severity,
      kind: message.kind,
      message: message.message,
      details: message.details,
      since: iso(message.sinceMs)
    }
  })

const HEADINGS: Readonly<Record<AlertMessage["reason"], string>> = {
  raised: "",
  worsened: " (was a warning)",
  repeated: " (still)",
  escalated: " (escalated)",
  resolved: "",
  test: ""
}

const labelOf = ({ reason, severity }: AlertMessage): string =>
  reason === "resolved" ? "RESOLVED" : reason === "test" ? "TEST" : severity.toUpperCase()

/** One line that names the alert. */
export const headline = (message: AlertMessage): string =>
  `${labelOf(message)}${HEADINGS[message.reason]}: ${message.kind} of ${message.service} at ${message.source}`

/** Slack requires these three characters to be escaped (docs.slack.dev/messaging/formatting-message-text). */
const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")

/** Maximum length of a text in characters. Slack cuts texts of more than 40,000. */
const MAX_TEXT = 3_000

/** Body of an incoming webhook of Slack. Mattermost, Rocket.Chat and Discord's `/slack` take it too. */
export const slackBody = (message: AlertMessage): string => {
  const values = Object.entries(message.details).map(([name, value]) => `• ${name}: ${String(value)}`)
  const lines = [headline(message), message.message, ...values, `since ${iso(message.sinceMs)}`]
  return JSON.stringify({ text: escaped(lines.join("\n").slice(0, MAX_TEXT)) })
}

/** Maximum length of a summary (Events API v2). */
const MAX_SUMMARY = 1_024

/**
 * Body of an event of PagerDuty. All notices of an alert have one `dedup_key`, so repetitions add to its incident and the end resolves
 * it.
 */
export const pagerDutyBody = (message: AlertMessage, routingKey: string, action: "trigger" | "resolve"): string =>
  JSON.stringify({
    routing_key: routingKey,
    event_action: action,
    dedup_key: `${message.source}/${message.reference}`.slice(0, 255),
    ...(action === "resolve"
      ? {}
      : {
          client: "token-sweep",
          payload: {
            summary: `${headline(message)}: ${message.message}`.slice(0, MAX_SUMMARY),
            source: message.source,
            severity: message.severity,
            timestamp: iso(message.sinceMs),
            component: message.service,
            class: message.kind,
            custom_details: message.details
          }
        })
  })
