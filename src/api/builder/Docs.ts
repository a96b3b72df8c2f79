/** Texts, errors and examples of each endpoint in the documentation. */
import {
  bodyTooLarge,
  type ErrorRow,
  notReady,
  rateLimited,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

export const introduction = `Accounts of builders: integrators that embed the sweep and earn a markup on it.

1. \`GET /auth/nonce\`, sign an EIP-4361 message with it (its domain is the dashboard's host), and \`POST /builders/self\`. The response holds the API key, once, and a session cookie.
2. Send the key as \`apiKey\` of the orchestrator's \`POST /quote\`: the markup becomes part of the order.
3. \`GET /me/accruals\` and \`GET /me/activity\` show the amounts earned, owed and paid. Servers read the same under \`/account\`, with a key of the scope \`read\` as \`x-api-key\`.

The markup of a new builder and its cap are 0. An operator raises them. Every amount is a decimal string in the token's smallest unit. Addresses are accepted in any case and returned checksummed.

Errors are \`{ "error": <code> }\`; admin routes answer 422 with the list of problems as \`error\`. Every response has an \`X-Request-Id\`: quote it when you report a problem.

Per client: 100 \`/attribute\` requests per minute, 10 sign-ups per hour, 300 other requests per minute; admin routes are not limited. Per builder: 200 changes of its API keys and webhooks in 24 hours, and 50 test messages to each webhook; removals and revocations are not refused. Above a limit, the response is 429 with \`Retry-After\` in seconds. Browsers may use the session only from the dashboard's origins.`

const wallet = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const token = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const txHash = `0x${"ab".repeat(32)}`
const key = `swp_${"0123456789abcdef".repeat(4)}`

const builder = {
  id: `bld_${wallet.slice(2).toLowerCase()}`,
  name: "Example Wallet",
  builderBps: 0,
  maxBuilderBps: 0,
  payoutAddress: wallet
}

const message = `dashboard.example.com wants you to sign in with your Ethereum account:
${wallet}

Sign in to the builder dashboard.

URI: https://dashboard.example.com
Version: 1
Chain ID: 8453
Nonce: 4f1d0c2b9a8e7f6d
Issued At: 2026-01-01T00:00:00.000Z`

const signed = { message, signature: `0x${"12".repeat(64)}1b` }

const failures: ReadonlyArray<ErrorRow> = [unexpected, unavailable]

const signInErrors: ReadonlyArray<ErrorRow> = [
  [401, "bad_nonce", "the message's nonce is missing, unknown, expired or consumed"],
  [
    401,
    "bad_signature",
    "the wallet did not sign the message, or its domain, URI or time is not acceptable, or a contract wallet names a chain that is not served"
  ],
  [403, "forbidden_origin", "the request comes from a page of another site"],
  bodyTooLarge,
  [
    422,
    "bad_request",
    "the body is not JSON, a field is missing or malformed, or the message does not follow EIP-4361"
  ],
  rateLimited,
  ...failures,
  [
    502,
    "internal error",
    "the chain on which the signature of a contract wallet is checked does not answer; retry later"
  ]
]

export const nonce = documented({
  summary: "Get a nonce",
  description: withErrors("A nonce for one sign-in message, valid for 10 minutes.", [rateLimited, ...failures]),
  response: { status: 200, body: { nonce: "4f1d0c2b9a8e7f6d4f1d0c2b9a8e7f6d" } }
})

export const verify = documented({
  summary: "Sign in",
  description: withErrors(
    "Opens a session, which replaces the previous one. Signatures of contract wallets are checked with ERC-1271, or with ERC-6492 before deployment, on the chain that the message names, which must be served. A wallet with a key may name any chain. The first of them binds the account to its chain, and those of other chains are refused. Only a message that verifies consumes its nonce. With `no_builder`, the nonce is kept for `POST /builders/self` with the same message and its signature, once and until it expires, so that the wallet signs once.",
    [[404, "no_builder", "the wallet belongs to no builder: offer self-signup"], ...signInErrors]
  ),
  request: signed,
  response: { status: 200, body: { builder } }
})

export const logout = documented({
  summary: "Sign out",
  description: withErrors("Ends the session, if there is one, and clears its cookie.", [
    [403, "forbidden_origin", "the request comes from a page of another site"],
    rateLimited,
    ...failures
  ]),
  response: { status: 200, body: { ok: true } }
})

export const signUp = documented({
  summary: "Sign up as a builder",
  description: withErrors(
    "Registers the signing wallet as a builder without a markup, and signs it in. Takes a fresh nonce, or the message that `POST /auth/verify` answered with `no_builder`. The API key is shown once.",
    [
      [403, "signup_disabled", "self-signup is disabled"],
      [409, "already_registered", "the wallet already owns a builder"],
      ...signInErrors
    ]
  ),
  request: { ...signed, name: builder.name },
  response: { status: 201, body: { builder: { ...builder, createdAtMs: 1767225600000 }, apiKey: key } }
})

const ownErrors: ReadonlyArray<ErrorRow> = [unauthorized, rateLimited, ...failures]

/** Examples for routes with the same responses. */
export const examples = {
  builder: { ...builder, createdAtMs: 1767225600000 },
  accruals: {
    balances: [{ token, amount: "125000", chainId: 8453 }],
    lifetime: [{ token, amount: "250000", chainId: 8453 }],
    paid: [{ token, amount: "125000", chainId: 8453 }]
  },
  activity: {
    entries: [
      { sweepId: `${txHash}_3`, token, amount: "125000", paid: true, createdAtMs: 1767225600000, chainId: 8453 }
    ]
  }
}

export const me = documented({
  summary: "Get the signed-in builder",
  description: withErrors("The builder of the session. Only operators can change it.", ownErrors),
  response: { status: 200, body: examples.builder }
})

export const apiKey = documented({
  summary: "Get the default API key",
  description: withErrors("Prefix of the key, and the time of its last use to about a minute.", [
    [404, "not found", "the default key was revoked: rotate it"],
    ...ownErrors
  ]),
  response: { status: 200, body: { prefix: "swp_01234567", createdAtMs: 1767225600000, lastUsedAtMs: 1767229200000 } }
})

export const rotateApiKey = documented({
  summary: "Replace the default API key",
  description: withErrors(
    "The default key is that of the registration. It is invalid at once, and the builder's other keys stay. An orchestrator may cache its attribution for some seconds. The new key is shown once.",
    [[403, "forbidden_origin", "the request comes from a page of another site"], ...ownErrors]
  ),
  response: { status: 200, body: { apiKey: key } }
})

export const attribute = documented({
  summary: "Resolve an API key",
  description: withErrors(
    "The markup that applies is the smaller of `builderBps` and `maxBuilderBps`. Requests with `Authorization: Bearer <ADMIN_TOKEN>`, such as those of the orchestrator, are not limited. A wrong token is ignored and counted: after 20 in a minute, every request with a token gets 429 until the minute ends.",
    [
      [
        404,
        "unattributed",
        "the key is missing, unknown, replaced, revoked or without the scope `quote`, or its builder is suspended"
      ],
      rateLimited,
      ...failures
    ]
  ),
  response: {
    status: 200,
    body: {
      builderId: builder.id,
      builderBps: 10,
      maxBuilderBps: 50,
      payoutAddress: wallet,
      payoutMode: "onchain"
    }
  }
})

const invalid: ErrorRow = [422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"]
const adminErrors: ReadonlyArray<ErrorRow> = [unauthorized, ...failures]
const bodyErrors: ReadonlyArray<ErrorRow> = [bodyTooLarge, invalid]

export const register = documented({
  summary: "Register a builder",
  description: withErrors("The API key is shown once.", [
    [409, "already_registered", "the id is taken, or the wallet already owns a builder"],
    ...bodyErrors,
    ...adminErrors
  ]),
  request: { id: "acme", name: "Acme", builderBps: 10, maxBuilderBps: 50, payoutAddress: wallet },
  response: {
    status: 201,
    body: {
      builder: {
        id: "acme",
        name: "Acme",
        builderBps: 10,
        maxBuilderBps: 50,
        payoutAddress: wallet,
        createdAtMs: 1767225600000
      },
      apiKey: key
    }
  }
})

export const accrue = documented({
  summary: "Book an accrual",
  description: withErrors(
    "Called by the orchestrator for a settled sweep. `sweepId` is the idempotency key. With `paidTxHash`, the sweep itself paid the accrual. It is required for each sweep that paid the builder on chain: without it, the amount is owed, and a payout pays it again. Without it, an accrual of a builder in the on-chain payout mode, which is the default, raises the alert `accrual_unpaid`, unless its `payoutMode` is `ledger`.",
    [[409, "conflict", "the sweep is booked with other content"], ...bodyErrors, ...adminErrors]
  ),
  request: { builderId: "acme", sweepId: `${txHash}_3`, token, amount: "125000", chainId: 8453 },
  response: { status: 201, body: { ok: true } }
})

export const balances = documented({
  summary: "Get the balances of a builder",
  description: withErrors("Payable balances per token. Empty for an unknown builder.", adminErrors),
  response: { status: 200, body: { builderId: "acme", balances: [{ token, amount: "125000", chainId: 8453 }] } }
})

export const bookRevenue = documented({
  summary: "Book protocol revenue",
  description: withErrors("Called by the orchestrator for a settled sweep. `sweepId` is the idempotency key.", [
    [409, "conflict", "the sweep is booked with other content"],
    ...bodyErrors,
    ...adminErrors
  ]),
  request: { sweepId: `${txHash}_3`, chainId: 8453, token, amount: "62500", txHash, settledAtMs: 1767225600000 },
  response: { status: 201, body: { ok: true } }
})

export const bookRevenues = documented({
  summary: "Book protocol revenue of several sweeps",
  description: withErrors(
    "Same as `POST /revenue` for up to 100 settlements. An entry that is missing in `booked` conflicts with an earlier booking. `POST /revenue` answers 409 for it.",
    [...bodyErrors, ...adminErrors]
  ),
  request: {
    entries: [{ sweepId: `${txHash}_3`, chainId: 8453, token, amount: "62500", txHash, settledAtMs: 1767225600000 }]
  },
  response: { status: 201, body: { ok: true, booked: [`${txHash}_3`] } }
})

export const liveness = documented({
  summary: "Check liveness",
  description:
    "Shows that the process serves requests. Does not check any dependency, so that an outage of one does not restart the process. See `GET /readyz`.",
  response: { status: 200, body: { ok: true } }
})

export const readiness = documented({
  summary: "Check readiness",
  description: withErrors("Writes to the database. A result is used for one second.", [
    unexpected,
    notReady("the database does not take writes, or the process is about to stop")
  ]),
  response: { status: 200, body: { ok: true } }
})
