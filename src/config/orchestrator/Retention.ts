/** Settings of data retention. */
import { integer, setting } from "../Setting.ts"

/** At least a week, which is longer than the deepest reorganisation and the longest outage that was planned for. */
const KEPT_DAYS = { from: 7, to: 36_500 }

export const retention = {
  keepQuotesHours: setting({
    name: "KEEP_QUOTES_HOURS",
    default: 24,
    check: integer({ from: 1, to: 8_760 }),
    meaning:
      "Age at which a quote that was never submitted is deleted, in hours. Its id is then unknown. At least `QUOTE_LIFETIME_SECONDS`."
  }),
  keepMessagesDays: setting({
    name: "KEEP_MESSAGES_DAYS",
    default: 7,
    check: integer(KEPT_DAYS),
    meaning:
      "Age at which a booking that the builder backend acknowledged is deleted, in days, and an event that it rejected for good. Acknowledged events are deleted at once. Rejected bookings are kept."
  }),
  keepAttemptsDays: setting({
    name: "KEEP_ATTEMPTS_DAYS",
    default: 30,
    check: integer(KEPT_DAYS),
    meaning:
      "Age at which the signed versions of a final relay transaction are deleted, in days. The transaction and its hash are kept."
  }),
  keepEventsDays: setting({
    name: "KEEP_EVENTS_DAYS",
    default: 365,
    check: integer(KEPT_DAYS),
    meaning:
      "Age at which the history of an intent is deleted, in days. It is deleted by the month in which intents were created, once all of its events are of this age. The intent is kept."
  })
} as const
