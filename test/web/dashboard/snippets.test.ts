/** The quickstart's code signs what it built from a checked order, for the delegate that the page names, or nothing. */
import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { recoverTypedDataAddress } from "viem"
import { TYPES } from "../../../src/domain/SweepOrder.ts"
import { snippets } from "../../../src/web/dashboard/quickstart/snippets.ts"
import { type Seen, StubServer } from "../../support/StubServer.ts"
import {
  ATTACKS,
  builder,
  CALLS,
  DELEGATE,
  deployment,
  honest,
  key,
  type Offer,
  OTHER,
  owner
} from "./QuickstartOffers.ts"

const project = join(import.meta.dirname, "..", "..", "..")
/** Answers with this offer, and with typed data and an authorization that nobody should sign. */
const serving = ({ order, quote }: Offer, path: string) =>
  path === "/quote"
    ? {
        status: 200,
        body: {
          quote: { id: "q1", ...quote },
          order,
          signing: {
            typedData: { domain: { name: "Permit2" }, types: {}, message: {} },
            authorization: { address: OTHER, chainId: 0, nonce: 3 }
          }
        }
      }
    : { status: path === "/intents" ? 201 : 200, body: { id: "q1", status: "delivered" } }

const UNANSWERED = "a submission without an answer"
const LIMITED = "a submission that is limited"
const REFUSED_LATE = "a submission that is refused after one without an answer"

const IN_PROGRESS = "a submission that is in progress"
const UNREADABLE = "a submission that a gateway answers"

/** In place of a status: the answer is lost, or its body, or a gateway sends a page or nothing in place of it. */
const [LOST, LOST_BODY, PAGE, NULL] = [0, 1, 2, 3]

/** Statuses of the answers after the quote. The last is repeated, and only a success has JSON. */
const TROUBLES = new Map([
  ["that are limited and fail for a while", [429, 503, 201, 502, 500, 200]],
  ["that a gateway gives to polls", [201, NULL, PAGE, LOST_BODY, LOST, NULL, 200]],
  ["whose id is not known", [201, 404]]
])

/** Bodies of a gateway that answers in place of the service. */
const GATEWAY = new Map<number, string>([
  [PAGE, "<p>Sign in</p>"],
  [NULL, "null"]
])

/** Statuses of the answers to a submission that does not succeed. */
const UNSUBMITTED = new Map([
  [UNANSWERED, [LOST_BODY, LOST]],
  [LIMITED, [429]],
  [REFUSED_LATE, [503, 400]],
  [IN_PROGRESS, [409]],
  [UNREADABLE, [NULL, PAGE]]
])

const codeFor = (url: string, domainName?: string): string =>
  snippets({ builder, deployment: deployment(url, domainName), builderUrl: url }).find(({ name }) => name === "HTTP")
    ?.code ?? ""

/** Runs each program, and prints the message of its refusal, or null, as a line of JSON. */
const RUNNER = `
const [, , ...programs] = process.argv
const say = console.log
// Pauses take no time.
globalThis.setTimeout = (run) => setImmediate(run)
console.log = () => undefined
for (const program of programs) {
  say(JSON.stringify(await import(program).then(() => null, ({ message }) => message)))
}
`

const HONEST = "one swap of SwapRouter02"
const RENAMED = "the same for a deployment of another name"
const OFFERS = new Map([
  [HONEST, honest()],
  [RENAMED, honest()],
  ...CALLS,
  ...ATTACKS,
  ...[...TROUBLES.keys(), ...UNSUBMITTED.keys()].map((name) => [name, honest()] as const)
])

/** EIP-712 domain name of a deployment that is not called `Service`. */
const NAME = 'Acme "&'

interface Outcome {
  /** Undefined if the program came to its end. */
  readonly refusal: string | undefined
  readonly submissions: ReadonlyArray<Seen>
}

/** The copied code against a server of each offer, in one process, since each would take a second to start. */
class Outcomes extends Context.Service<Outcomes, { readonly of: (name: string) => Outcome }>()(
  "sweep/test/QuickstartOutcomes"
) {
  static readonly layer = Layer.effect(
    Outcomes,
    Effect.gen(function* () {
      const server = yield* StubServer
      const offers = [...OFFERS.values()]
      const names = [...OFFERS.keys()]
      const answered = new Map<string, number>()
      yield* server.answer(({ path }) => {
        const [, index, route] = path.split("/")
        const offer = offers[Number(index)]
        const name = names[Number(index)] ?? ""
        const statuses = TROUBLES.get(name) ?? UNSUBMITTED.get(name)
        if (statuses === undefined || route === "quote") {
          return offer === undefined ? { status: 404 } : serving(offer, `/${route}`)
        }
        const count = answered.get(name) ?? 0
        answered.set(name, count + 1)
        const status = statuses[Math.min(count, statuses.length - 1)] ?? 500
        // Nothing answers at the address of this redirection.
        if (status === LOST) return { status: 302, headers: { location: "http://127.0.0.1:1" } }
        // No client can read a body whose encoding is not the one that the header names.
        if (status === LOST_BODY) return { status: 200, headers: { "content-encoding": "gzip" }, body: "{" }
        const body = GATEWAY.get(status)
        if (body !== undefined) return { status: 200, body }
        const state = status === 200 ? "delivered" : "submitted"
        return status < 300 ? { status, body: { id: "q1", status: state } } : { status }
      })
      const directory = yield* Effect.acquireRelease(
        Effect.promise(() => mkdtemp(join(tmpdir(), "sweep-quickstart-"))),
        (made) => Effect.promise(() => rm(made, { recursive: true, force: true }))
      )
      const programs = offers.map((_, index) => join(directory, `${index}.mjs`))
      const runner = join(directory, "runner.mjs")
      const said = yield* Effect.promise(async () => {
        await mkdir(join(directory, "node_modules"))
        await symlink(join(project, "node_modules", "viem"), join(directory, "node_modules", "viem"))
        await Bun.write(runner, RUNNER)
        await Promise.all(
          programs.map((file, index) =>
            Bun.write(file, codeFor(`${server.url}/${index}`, [...OFFERS.keys()][index] === RENAMED ? NAME : undefined))
          )
        )
        const running = Bun.spawn([process.execPath, runner, ...programs], {
          env: { ...process.env, OWNER_KEY: key, SWEEP_API_KEY: "key" },
          stdout: "pipe",
          stderr: "inherit"
        })
        return new Response(running.stdout).text()
      })
      const lines = said.trim().split("\n")
      const seen = yield* server.seen
      return Outcomes.of({
        of: (name) => {
          const index = [...OFFERS.keys()].indexOf(name)
          return {
            refusal: JSON.parse(lines[index] ?? '"the program did not run"') ?? undefined,
            submissions: seen.filter(({ path }) => path === `/${index}/intents`)
          }
        }
      })
    })
  )
}

layer(Outcomes.layer.pipe(Layer.provide(StubServer.layer)))("the quickstart's code", (it) => {
  it.effect.each([
    [HONEST, "Service"],
    [RENAMED, NAME]
  ] as const)("signs the order that it checked, and the delegate that it knows: %s", ([name, domainName]) =>
    Effect.gen(function* () {
      const { refusal, submissions } = (yield* Outcomes).of(name)
      const [submission] = submissions
      assert.isDefined(submission, refusal)
      const { authorization, signature } = JSON.parse(submission.body)
      assert.strictEqual(authorization.address, DELEGATE)
      assert.strictEqual(authorization.chainId, 8453)
      const signer = yield* Effect.promise(() =>
        recoverTypedDataAddress({
          domain: { name: domainName, version: "1", chainId: 8453, verifyingContract: owner },
          types: TYPES,
          primaryType: "SweepOrder",
          message: OFFERS.get(name)?.order as never,
          signature
        })
      )
      assert.strictEqual(signer, owner)
    })
  )

  it.effect.each(CALLS)("signs one swap of %s", ([name]) =>
    Effect.gen(function* () {
      const { refusal, submissions } = (yield* Outcomes).of(name)
      assert.isUndefined(refusal)
      assert.lengthOf(submissions, 1)
    })
  )

  it.effect.each([...TROUBLES.keys()])("goes on through answers %s, and ends for an unknown id", (name) =>
    Effect.gen(function* () {
      const { refusal, submissions } = (yield* Outcomes).of(name)
      assert.strictEqual(
        refusal,
        TROUBLES.get(name)?.at(-1) === 404 ? "the service does not know the sweep" : undefined
      )
      assert.lengthOf(submissions, TROUBLES.get(name)?.indexOf(201) === 0 ? 1 : 3)
      assert.lengthOf(new Set(submissions.map(({ body }) => body)), 1)
    })
  )

  it.effect.each([
    [UNANSWERED, 5, "/intents: no answer; it may be submitted: look at GET /intents/q1 before you sign again"],
    [LIMITED, 5, "/intents: 429 "],
    [IN_PROGRESS, 5, "/intents: 409 ; it may be submitted: look at GET /intents/q1 before you sign again"],
    [UNREADABLE, 5, "/intents: 200 <p>Sign in</p>; it may be submitted: look at GET /intents/q1 before you sign again"],
    [REFUSED_LATE, 2, "/intents: 400 ; it may be submitted: look at GET /intents/q1 before you sign again"]
  ] as const)("tells if it may have submitted: %s", ([name, sent, problem]) =>
    Effect.gen(function* () {
      const { refusal, submissions } = (yield* Outcomes).of(name)
      assert.strictEqual(refusal, problem)
      assert.lengthOf(submissions, sent)
    })
  )

  it.effect.each(ATTACKS)("submits nothing for %s", ([name]) =>
    Effect.gen(function* () {
      const { refusal, submissions } = (yield* Outcomes).of(name)
      assert.match(refusal ?? "", /do not sign|not attributed to you/)
      assert.deepStrictEqual(submissions, [])
    })
  )
})

describe("the quickstart's code for a deployment of another name", () => {
  it.each(["SDK", "Widget"])("reviews orders by its name: %s", (name) => {
    const of = (domainName?: string) =>
      snippets({
        builder,
        deployment: deployment("http://127.0.0.1", domainName),
        builderUrl: "http://127.0.0.1"
      }).find((each) => each.name === name)?.code ?? ""
    assert.include(of(NAME), `domainName: ${JSON.stringify(NAME)}`)
    assert.notInclude(of(), "domainName")
  })
})

describe("the quickstart's code for a chain without dollars", () => {
  const { chains, ...rest } = deployment("http://127.0.0.1")
  const [dai, usdc] = ["DAI\nalert()", "USDC\nalert()"].map((symbol, index) => ({
    chainId: 8453,
    address: `0x${String(index + 1).repeat(40)}` as const,
    symbol,
    name: symbol,
    decimals: 18
  }))
  const shown = snippets({
    builder,
    deployment: { ...rest, chains: chains.map((chain) => ({ ...chain, tokens: [usdc, dai] as never })) },
    builderUrl: "http://127.0.0.1"
  })

  it.each(["SDK", "HTTP"])("lets its reader set the least amount, for %s", (name) => {
    const code = shown.find((each) => each.name === name)?.code ?? ""
    assert.match(code, /^const LEAST = 0n \/\/ set it to the least amount of "USDC\\nalert\(\)" that you accept/m)
    assert.notMatch(code, /^alert/m)
  })
})
