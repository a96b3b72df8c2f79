/** `./sweep operate find` and `story`: sweeps by whatever names them, and the whole story of one. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { FoundByOrchestrator, SweepStory } from "../domain/SweepStory.ts"
import * as OrchestratorClient from "./OrchestratorClient.ts"
import { json, printed } from "./Output.ts"
import { table } from "./Table.ts"

const REFUSALS: Readonly<Record<string, string>> = {
  NotFound: "the orchestrator does not know this intent. sweep operate find looks for one by an address or a hash"
}

const moment = (ms: number): string => new Date(ms).toISOString()

const asList = ({ batch, more, roles, sweeps }: FoundByOrchestrator): string =>
  [
    ...roles.map(({ chainId, name, role }) => `${[role, name].filter(Boolean).join(" ")} on chain ${chainId}`),
    ...(batch === undefined ? [] : [`batch ${batch}`]),
    table(
      ["INTENT", "STATUS", "OWNER", "FROM", "TO", "BUILDER", "QUOTED"],
      sweeps.map(({ builderId = "–", createdAtMs, destChainId, id, owner, sourceChainId, status }) => [
        id,
        status,
        owner,
        String(sourceChainId),
        String(destChainId),
        builderId,
        moment(createdAtMs)
      ]),
      "no sweep has this name"
    ),
    ...(more ? ["there are more. Search for an intent or a transaction to find an older one"] : [])
  ].join("\n")

/** Lines that not every sweep has. */
const optional = (story: SweepStory): ReadonlyArray<string> => [
  ...(story.failureReason === undefined ? [] : [`failed: ${story.failureReason} ${story.failureDetail ?? ""}`.trim()]),
  ...(story.givenUp === undefined ? [] : [`not sent: ${story.givenUp.reason} ${story.givenUp.detail}`]),
  ...(story.waiting === undefined ? [] : [`waits for ${story.waiting.waitsFor}: ${story.waiting.explanation}`]),
  ...(story.deliveryTxHash === undefined ? [] : [`delivered by ${story.deliveryTxHash}`]),
  ...(story.refund === undefined ? [] : [`refunded by ${story.refund.txHash}`])
]

const asStory = (story: SweepStory): string =>
  [
    `${story.id} of ${story.order.owner}: ${story.status}`,
    `${story.order.amountIn} of ${story.order.tokenIn} on chain ${story.quote.sourceChainId} into ${story.order.tokenOut} on chain ${story.order.destChainId}, by ${story.quote.provider}`,
    ...optional(story),
    ...story.history.map(({ atMs, status, txHash = "" }) => `${moment(atMs)} ${status} ${txHash}`.trim()),
    table(
      ["TRANSACTION", "CHAIN", "LANE", "NONCE", "STATE", "BLOCK", "COST IN WEI"],
      story.transactions.flatMap(({ attempts, chainId, cost, inclusion, lane, nonce, status }) =>
        attempts.map(({ hash }) => [
          hash,
          String(chainId),
          lane,
          String(nonce),
          status,
          inclusion?.hash === hash ? String(inclusion.blockNumber) : "–",
          inclusion?.hash === hash ? String(cost ?? "–") : "–"
        ])
      ),
      "no transaction carries it"
    ),
    table(
      ["MESSAGE", "STATE", "FAILED ATTEMPTS"],
      story.messages.map(({ attempts, key, state }) => [key, state, String(attempts)]),
      "no messages are kept"
    )
  ].join("\n")

export const operateFind = Command.make(
  "find",
  {
    text: Argument.String("text").pipe(
      Argument.withDescription("Id of an intent or a batch, hash of a transaction, address, or a link to one of them")
    ),
    json
  },
  ({ json, text }) =>
    Effect.gen(function* () {
      const { explained, stories } = yield* OrchestratorClient.connect
      yield* printed(FoundByOrchestrator, yield* explained(stories.find({ query: { q: text } })), json, asList)
    })
).pipe(
  Command.withDescription("Find sweeps by an intent, batch, transaction or address"),
  Command.withExamples([
    { command: "sweep operate find 0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", description: "Sweeps of an owner" }
  ])
)

export const operateStory = Command.make(
  "story",
  { intent: Argument.String("intent").pipe(Argument.withDescription("Id of the intent")), json },
  ({ intent, json }) =>
    Effect.gen(function* () {
      const { explained, stories } = yield* OrchestratorClient.connect
      const story = yield* explained(stories.story({ params: { id: intent } }), REFUSALS)
      yield* printed(SweepStory, story, json, asStory)
    })
).pipe(
  Command.withDescription("Tell the whole story of a sweep"),
  Command.withExamples([
    {
      command: "sweep operate story 6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a",
      description: "Quote, waits, transactions and messages"
    }
  ])
)
