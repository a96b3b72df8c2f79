/** Settings of notices about alerts. */
import { Config } from "effect"
import { integer, secret, setting } from "./Setting.ts"

export const alerts = {
  alertSource: setting({
    name: "ALERT_SOURCE",
    default: "token-sweep",
    check: Config.NonEmptyString,
    meaning: "Name of the deployment in messages about alerts. Give each deployment its own."
  }),
  alertWebhookUrl: secret({
    name: "ALERT_WEBHOOK_URL",
    meaning: "URL to which alerts are sent, signed by `ALERT_WEBHOOK_SECRET` as Standard Webhooks requires."
  }),
  alertWebhookSecret: secret({
    name: "ALERT_WEBHOOK_SECRET",
    meaning:
      "Secret that signs messages to `ALERT_WEBHOOK_URL` and `ALERT_ESCALATION_WEBHOOK_URL`: `whsec_` and 24 to 64 random bytes in base64."
  }),
  alertSlackUrl: secret({
    name: "ALERT_SLACK_URL",
    meaning: "URL of an incoming webhook of Slack, to which alerts are sent."
  }),
  alertPagerDutyKey: secret({
    name: "ALERT_PAGERDUTY_KEY",
    meaning: "Integration key of a PagerDuty service (Events API v2), in which alerts open and resolve incidents."
  }),
  alertPagerDutyUrl: setting({
    name: "ALERT_PAGERDUTY_URL",
    default: "https://events.pagerduty.com",
    check: Config.NonEmptyString,
    meaning:
      "Base URL of the Events API. `https://events.eu.pagerduty.com` for accounts in the EU, or another service that takes its events."
  }),
  alertRepeatMinutes: setting({
    name: "ALERT_REPEAT_MINUTES",
    default: 60,
    check: integer({ from: 0, to: 10_080 }),
    meaning: "Pause between messages about an alert that stands, in minutes. 0: each alert is told once."
  }),
  alertEscalationMinutes: setting({
    name: "ALERT_ESCALATION_MINUTES",
    default: 15,
    check: integer({ from: 1, to: 10_080 }),
    meaning: "Age at which a `critical` alert is sent to the destinations of `ALERT_ESCALATION_…`, in minutes."
  }),
  alertEscalationWebhookUrl: secret({
    name: "ALERT_ESCALATION_WEBHOOK_URL",
    meaning: "URL to which `critical` alerts are sent that stand for `ALERT_ESCALATION_MINUTES`, signed alike."
  }),
  alertEscalationSlackUrl: secret({
    name: "ALERT_ESCALATION_SLACK_URL",
    meaning: "URL of an incoming webhook of Slack for the same alerts."
  }),
  alertEscalationPagerDutyKey: secret({
    name: "ALERT_ESCALATION_PAGERDUTY_KEY",
    meaning: "Integration key of a PagerDuty service for the same alerts."
  }),
  heartbeatUrl: secret({
    name: "HEARTBEAT_URL",
    meaning:
      "URL of a monitor such as healthchecks.io that is called every minute while the service can work. Give each service its own."
  })
} as const
