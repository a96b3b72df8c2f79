/** What the documentation says about each endpoint beside its schemas: meaning, errors and examples. */
import {
  bodyTooLarge,
  type ErrorRow,
  rateLimited,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

export const introduction = `Accounts of builders: integrators that embed the sweep and earn a markup on it.

1. \`GET /auth/nonce\`, sign an EIP-4361 message with it (its domain is the dashboard's host), and \`POST /builders/self\`: the answer carries the API key, once, and a session cookie.
2. Send the key as \`apiKey\` of the orchestrator's \`POST /quote\`: the markup becomes part of the order.
3. \`GET /me/accruals\` and \`GET /me/activity\` tell what was earned, owed and paid.

A new builder's markup and its cap are 0; an operator raises them. Every amount is a decimal string in the token's smallest unit. Addresses are accepted in any case and returned checksummed.

Errors are \`{ "error": <code> }\`; admin routes answer 422 with the list of problems as \`error\`. Every answer carries \`X-Request-Id\`; name it when you ask about a request.

Per client: 100 \`/attribute\` requests per minute, 10 sign-ups per hour, 300 other requests per minute; admin routes are not limited. Beyond, the answer is 429 with \`Retry-After\` in seconds. Browsers may use the session from the dashboard's origins alone.`

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
    "the wallet did not sign this, or domain, URI, chain or a time of the message are not acceptable"
  ],
  [403, "forbidden_origin", "a browser sent it from another site than the dashboard"],
  bodyTooLarge,
  [422, "bad_request", "no JSON, a field is missing or malformed, or the message does not follow EIP-4361"],
  rateLimited,
  ...failures,
  [502, "internal error", "the chain that a contract wallet's signature is checked on does not answer; retry later"]
]

export const nonce = documented({
  summary: "A nonce to sign",
  description: withErrors("Usable once, for 10 minutes.", [rateLimited, ...failures]),
  response: { status: 200, body: { nonce: "4f1d0c2b9a8e7f6d4f1d0c2b9a8e7f6d" } }
})

export const verify = documented({
  summary: "Sign in",
  description: withErrors(
    "Opens a session, in place of the caller's previous one. Accounts with a key are recognised without a chain; contract wallets by ERC-1271, or ERC-6492 before they are deployed, on the chain that the message names. The nonce is consumed by a message that verifies, and by no other.",
    [[404, "no_builder", "the wallet belongs to no builder: offer self-signup"], ...signInErrors]
  ),
  request: signed,
  response: { status: 200, body: { builder } }
})

export const logout = documented({
  summary: "Sign out",
  description: withErrors("Ends the session, if there is one, and clears its cookie.", [
    [403, "forbidden_origin", "a browser sent it from another site than the dashboard"],
    rateLimited,
    ...failures
  ]),
  response: { status: 200, body: { ok: true } }
})

export const signUp = documented({
  summary: "Sign up as a builder",
  description: withErrors(
    "Registers the signing wallet as a builder without a markup, and signs it in. The API key is shown once.",
    [
      [403, "signup_disabled", "this backend does not take self-signups"],
      [409, "already_registered", "the wallet already owns a builder"],
      ...signInErrors
    ]
  ),
  request: { ...signed, name: builder.name },
  response: { status: 201, body: { builder: { ...builder, createdAtMs: 1767225600000 }, apiKey: key } }
})

const ownErrors: ReadonlyArray<ErrorRow> = [unauthorized, rateLimited, ...failures]

export const me = documented({
  summary: "Who is signed in",
  description: withErrors("The builder of the session. Operators change it, it cannot change itself.", ownErrors),
  response: { status: 200, body: { ...builder, createdAtMs: 1767225600000 } }
})

export const accruals = documented({
  summary: "What was earned and is owed",
  description: withErrors(
    "Per token, and per chain where it is known. A markup that sweeps pay out themselves is earned and never owed.",
    ownErrors
  ),
  response: {
    status: 200,
    body: {
      balances: [{ token, amount: "125000", chainId: 8453 }],
      lifetime: [{ token, amount: "250000", chainId: 8453 }]
    }
  }
})

export const activity = documented({
  summary: "Accruals, newest first",
  description: withErrors("100 unless `limit` says otherwise; `nextCursor` of a page is the `cursor` of the next.", [
    [422, "limit: <problem>", "a query parameter is malformed"],
    ...ownErrors
  ]),
  response: {
    status: 200,
    body: {
      entries: [
        { sweepId: `${txHash}_3`, token, amount: "125000", paid: true, createdAtMs: 1767225600000, chainId: 8453 }
      ]
    }
  }
})

export const apiKey = documented({
  summary: "Which API key is in use",
  description: withErrors("Its beginning and when it was last used, to about a minute.", ownErrors),
  response: { status: 200, body: { prefix: "swp_01234567", createdAtMs: 1767225600000, lastUsedAtMs: 1767229200000 } }
})

export const rotateApiKey = documented({
  summary: "Replace the API key",
  description: withErrors(
    "The previous key is invalid at once; an orchestrator may remember what it resolved to for some seconds. The new key is shown once.",
    [[403, "forbidden_origin", "a browser sent it from another site than the dashboard"], ...ownErrors]
  ),
  response: { status: 200, body: { apiKey: key } }
})

export const attribute = documented({
  summary: "Resolve an API key",
  description: withErrors("The markup that applies is the smaller of `builderBps` and `maxBuilderBps`.", [
    [404, "unattributed", "the key is missing, unknown, rotated, or of a suspended builder"],
    rateLimited,
    ...failures
  ]),
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
  description: withErrors("The API key is shown once. `payoutMode` is `onchain` unless given.", [
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
    "Called by the orchestrator for a settled sweep. `sweepId` makes it safe to repeat. With `paidTxHash` the accrual was paid by the sweep itself.",
    [[409, "conflict", "the sweep is booked with other content"], ...bodyErrors, ...adminErrors]
  ),
  request: { builderId: "acme", sweepId: `${txHash}_3`, token, amount: "125000", chainId: 8453 },
  response: { status: 201, body: { ok: true } }
})

export const balances = documented({
  summary: "What a builder is owed",
  description: withErrors("Payable balances per token; none for an unknown builder.", adminErrors),
  response: { status: 200, body: { builderId: "acme", balances: [{ token, amount: "125000", chainId: 8453 }] } }
})

export const bookRevenue = documented({
  summary: "Book protocol income",
  description: withErrors("Called by the orchestrator for a settled sweep. `sweepId` makes it safe to repeat.", [
    [409, "conflict", "the sweep is booked with other content"],
    ...bodyErrors,
    ...adminErrors
  ]),
  request: { sweepId: `${txHash}_3`, chainId: 8453, token, amount: "62500", txHash, settledAtMs: 1767225600000 },
  response: { status: 201, body: { ok: true } }
})

export const bookRevenues = documented({
  summary: "Book protocol income of several sweeps",
  description: withErrors(
    "As `POST /revenue`, of up to 100 settlements at once. An entry that is not among `booked` conflicts with what is booked; offered by itself, it is refused with 409.",
    [...bodyErrors, ...adminErrors]
  ),
  request: {
    entries: [{ sweepId: `${txHash}_3`, chainId: 8453, token, amount: "62500", txHash, settledAtMs: 1767225600000 }]
  },
  response: { status: 201, body: { ok: true, booked: [`${txHash}_3`] } }
})

export const liveness = documented({
  summary: "Whether the process serves",
  description: "Says nothing about what is behind it.",
  response: { status: 200, body: { ok: true } }
})
