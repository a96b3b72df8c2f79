/** Clients that ask for more than their share, or hide who they are. */
import { Effect } from "effect"
import { units } from "../../src/devnet/Tokens.ts"
import * as Clients from "./Clients.ts"
import type { Attack, Fight } from "./Fight.ts"
import type { Reach } from "./Reach.ts"

const WHOLE = 60n

/** Requests at the same time. */
const CONCURRENCY = 16

/** Requests of one client; a minute allows 100. */
const FLOOD = 300

/** Clients of the attack with many addresses. */
const ADDRESSES = 200

interface Flood {
  readonly requests: number
  /** Address that the proxy writes for a request. */
  readonly address: (request: number) => string
}

/** Asks for quotes of one owner's DAI. Returns the number of those that were answered with a quote. */
const flood = Effect.fnUntraced(function* (fight: Fight, { address, requests }: Flood) {
  const [owner] = yield* fight.owners(1)
  if (owner === undefined) return yield* Effect.die(new Error("an owner was made"))
  const { DAI, USDC } = fight.place.dev.tokens
  yield* fight.purse.giveToken(owner, "DAI", WHOLE)
  const url = fight.world.slots[0]?.url ?? ""
  const answers = yield* Effect.forEach(
    Array.from({ length: requests }, (_, request) => request),
    (request) =>
      fight
        .clientAt(url, address(request))
        .quote({ owner, tokenIn: DAI, amountIn: units("DAI", WHOLE), tokenOut: USDC }),
    { concurrency: CONCURRENCY }
  )
  for (const answer of answers) {
    if (!Clients.isRefusal(answer)) fight.tally.quoted += 1
    else {
      const key = `quote: ${answer.status} ${answer.text}`.slice(0, 120)
      fight.tally.refused.set(key, (fight.tally.refused.get(key) ?? 0) + 1)
    }
  }
  return answers.filter((answer) => !Clients.isRefusal(answer)).length
})

const client = (name: string, about: string, expects: Reach, play: Attack["play"]): Attack => ({
  name,
  about,
  tokens: "listed",
  expects,
  play
})

/** Some of its requests are above the limit. */
const LIMITED: Reach = { quoted: 1, refused: ["quote: 429"] }

/** More quotes than the rate limit's window allows, with those of the window that may follow. */
const ALLOWED = 200

const withinLimit = (fight: Fight, quoted: number) =>
  Effect.sync(() => {
    if (quoted > ALLOWED) fight.findings.push(`${quoted} quotes for one client, of 100 a minute`)
  })

/** Signatures of nobody: each submission costs the service a look at most. */
const forged = (fight: Fight) =>
  Effect.gen(function* () {
    const owners = yield* fight.owners(fight.size)
    yield* Effect.forEach(owners, (owner) => fight.purse.giveToken(owner, "DAI", WHOLE), {
      concurrency: "unbounded",
      discard: true
    })
    const quoted = yield* fight.quotes(owners, {
      tokenIn: fight.place.dev.tokens.DAI,
      amountIn: units("DAI", WHOLE)
    })
    const [first] = quoted
    if (first === undefined) return
    // Each has the signature of another order.
    const before = fight.tally.submitted
    yield* fight.submit(
      quoted.slice(1).map((sweep) => ({ ...sweep, signed: { ...sweep.signed, signature: first.signed.signature } }))
    )
    const accepted = fight.tally.submitted - before
    if (accepted > 0) fight.findings.push(`${accepted} submissions with the signature of another order were accepted`)
    yield* fight.concluded
  })

export const CLIENT_ATTACKS: ReadonlyArray<Attack> = [
  client("quote-flood", "One client asks for 300 quotes at once.", LIMITED, (fight) =>
    Effect.flatMap(flood(fight, { requests: FLOOD, address: () => "203.0.113.7" }), (quoted) =>
      withinLimit(fight, quoted)
    )
  ),
  client(
    "spoofed-addresses",
    "One client writes another address into each of 300 requests, before the proxy's.",
    LIMITED,
    (fight) =>
      Effect.flatMap(
        flood(fight, { requests: FLOOD, address: (request) => `192.0.2.${request % 250}, 203.0.113.8` }),
        (quoted) => withinLimit(fight, quoted)
      )
  ),
  client("ipv6-neighbours", "One client uses 300 addresses of its own /64 network.", LIMITED, (fight) =>
    Effect.flatMap(
      flood(fight, { requests: FLOOD, address: (request) => `2001:db8:1:2::${(request + 1).toString(16)}` }),
      (quoted) => withinLimit(fight, quoted)
    )
  ),
  client(
    "many-addresses",
    "200 client addresses ask for two quotes each at the same time.",
    { quoted: ADDRESSES },
    (fight) =>
      Effect.asVoid(
        flood(fight, { requests: 2 * ADDRESSES, address: (request) => `100.64.0.${(request % ADDRESSES) + 1}` })
      )
  ),
  client(
    "forged-signatures",
    "Submissions have the signatures of other orders.",
    { quoted: 2, refused: ["submission: 400"] },
    forged
  )
]
