/** Texts, errors and examples of the routes of sweeps of many tokens. */
import { LASTING, PASSING } from "../../domain/SweepRefusal.ts"
import { rateLimited, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import * as Docs from "./Docs.ts"
import { delegate, id, txHash } from "./DocExamples.ts"

const OTHER = "0b0e8d0a-5f64-4c1e-9f0e-3c1d2b7a6e55"
const SWEEP = "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77"

const table = (meanings: Readonly<Record<string, string>>) =>
  Object.entries(meanings)
    .map(([reason, meaning]) => `| \`${reason}\` | ${meaning} |`)
    .join("\n")

export const submit = documented({
  summary: "Submit a sweep of many tokens",
  description: withErrors(
    `Accepts one signature for many quotes of one owner: those of \`POST /quotes\`, or any others. An addition to the specification. The owner signs the typed data \`SweepBatch\` with one leg for each quote. \`quoteIds\` has the order of the legs. \`authorizations\` has one for each chain where the account does not run the delegate, and may be empty. All quotes are accepted or none. Once this route answers, they are stored durably. Each one settles or fails alone.

A refused request changes nothing. Its reason is \`error\`:

| Reason (400) | Meaning |
|---|---|
${table(LASTING)}

| Reason (503, with \`Retry-After\`) | Meaning |
|---|---|
${table(PASSING)}`,
    [
      [400, "<reason>", "the sweep is not accepted. Request new quotes and sign again"],
      ...Docs.body,
      rateLimited,
      unexpected,
      [503, "<reason>", "the sweep is not accepted at the moment. Repeat the request after `Retry-After` seconds"],
      unavailable
    ]
  ),
  request: {
    quoteIds: [id, OTHER],
    signature: `0x${"12".repeat(64)}1b`,
    authorizations: [
      {
        address: delegate,
        chainId: 8453,
        nonce: "7",
        r: `0x${"34".repeat(32)}`,
        s: `0x${"56".repeat(32)}`,
        yParity: 0
      }
    ]
  },
  response: {
    status: 201,
    body: {
      id: SWEEP,
      intents: [
        { id, status: "submitted" },
        { id: OTHER, status: "submitted" }
      ]
    }
  },
  idempotent: true
})

const view = {
  id: SWEEP,
  intents: [Docs.intentExample, { id: OTHER, status: "submitted", crossChain: true }]
}

export const sweep = documented({
  summary: "Get the status of a sweep",
  description: withErrors(
    "The intents of a sweep, in signing order. Each has the body of `GET /intents/:id`. An addition to the specification.",
    [[404, "not found", "no such sweep"], rateLimited, unexpected, unavailable]
  ),
  response: { status: 200, body: view }
})

export const events = documented({
  summary: "Stream the status of a sweep",
  description: withErrors(
    "Server-sent events, as an alternative to polling. The data of each event is the body of `GET /sweeps/:id`. The stream sends the current state at once, then each later state within half a second, and ends when all intents are final. It counts as one stream of its client. An addition to the specification.",
    [[404, "not found", "no such sweep"], rateLimited, unexpected, unavailable]
  ),
  response: {
    status: 200,
    contentType: "text/event-stream",
    body: { id: "delivered,submitted", event: "message", data: view }
  }
})

export const list = documented({
  summary: "List the sweeps of an owner",
  description: withErrors(
    "Sweeps of many tokens that an owner signed, newest first, 20 on a page. Anyone may read it, so intents have only what the chains show. An addition to the specification.",
    [[422, "<problem>", "owner or cursor is malformed"], rateLimited, unexpected, unavailable]
  ),
  response: {
    status: 200,
    body: {
      sweeps: [
        {
          id: SWEEP,
          intents: [
            {
              id,
              status: "delivered",
              crossChain: false,
              txHash,
              deliveryTxHash: txHash,
              amountOut: Docs.intentExample.amountOut
            }
          ]
        }
      ],
      next: "41"
    }
  }
})
