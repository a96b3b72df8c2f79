/** `./sweep builders`: manages builders' accounts over the admin API of the builder backend. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { NewBuilderView } from "../api/builder/AccountSchemas.ts"
import { BuilderDetail, type PatchRequest, type RegistrationRequest, TotalsView } from "../api/builder/Schemas.ts"
import { BPS, integerIn } from "../config/Setting.ts"
import * as Address from "../domain/Address.ts"
import { BuilderAccount, BuilderId, DisplayName, Markup } from "../domain/Builder.ts"
import { ChainId } from "../domain/ChainId.ts"
import * as BuilderClient from "./BuilderClient.ts"
import { json, printed } from "./Output.ts"
import * as Pages from "./Pages.ts"
import { facts, table } from "./Table.ts"

const id = Argument.String("id").pipe(Argument.withDescription("The builder's id, as `list` shows it"))

const state = ({ suspendedAtMs }: BuilderAccount): string => (suspendedAtMs === undefined ? "active" : "suspended")

const asRow = (builder: BuilderAccount): ReadonlyArray<string> => [
  builder.id,
  builder.name,
  String(builder.builderBps),
  String(builder.maxBuilderBps),
  builder.payoutMode,
  state(builder),
  builder.payoutAddress
]

const asFacts = (builder: BuilderAccount): string =>
  facts([
    ["id", builder.id],
    ["name", builder.name],
    ["markup", `${builder.builderBps} bps, at most ${builder.maxBuilderBps}`],
    ["payout", `${builder.payoutMode}, to ${builder.payoutAddress}`],
    ...(builder.walletChainId === undefined ? [] : [["wallet chain", String(builder.walletChainId)] as const]),
    ["state", state(builder)],
    ["since", new Date(builder.createdAtMs).toISOString()]
  ])

const list = Command.make(
  "list",
  {
    search: Flag.String("search").pipe(
      Flag.withDescription("List only builders whose id, name or payout address contains this text, ignoring case"),
      Flag.optional
    ),
    json
  },
  ({ json, search }) =>
    Effect.gen(function* () {
      const { console, explained } = yield* BuilderClient.connect
      const found = yield* Pages.all((page) =>
        explained(
          console.builders({ query: { ...page, ...(Option.isSome(search) ? { search: search.value } : {}) } })
        ).pipe(Effect.map(({ builders, ...rest }) => ({ rows: builders, ...rest })))
      )
      yield* printed(Schema.Array(BuilderAccount), found, json, (builders) =>
        table(["ID", "NAME", "BPS", "MAX", "PAYOUT", "STATE", "ADDRESS"], builders.map(asRow), "no builders")
      )
    })
).pipe(
  Command.withDescription("List builders"),
  Command.withExamples([
    { command: "sweep builders list", description: "List all builders" },
    { command: "sweep builders list --search acme --json", description: "Search, and print JSON for a program" }
  ])
)

const Shown = Schema.Struct({ ...BuilderDetail.fields, totals: TotalsView.fields.totals })

const show = Command.make("show", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const { console, explained } = yield* BuilderClient.connect
    const [detail, { totals }] = yield* explained(
      Effect.all([console.builder({ params: { id } }), console.builderAccruals({ params: { id } })])
    )
    yield* printed(Shown, { ...detail, totals }, json, ({ apiKey, builder }) =>
      [
        asFacts(builder),
        ...(apiKey === undefined ? [] : [`key begins with ${apiKey.prefix}`]),
        "",
        table(
          ["CHAIN", "TOKEN", "EARNED", "PAID", "OWED", "CLAIMED", "UNCLAIMED"],
          totals.map(({ chainId, claimed, earned, owed, paid, token, unclaimed }) => [
            String(chainId ?? "unassigned"),
            token,
            ...[earned, paid, owed, claimed, unclaimed].map(String)
          ]),
          "nothing earned yet"
        )
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Show a builder with its earned, paid and owed amounts"))

/** A markup as digits. An empty text is none, such as that of a variable that a script did not set. */
const MarkupText = integerIn(BPS).pipe(Schema.decodeTo(Markup))

const bps = (name: string, meaning: string) =>
  Flag.String(name).pipe(Flag.withSchema(MarkupText), Flag.withDescription(meaning))

const payoutMode = Flag.Literals("payout-mode", ["onchain", "ledger"]).pipe(
  Flag.withDescription("onchain: each sweep pays the builder's address. ledger: the fee is owed and paid in batches")
)

const register = Command.make(
  "register",
  {
    id: Flag.String("id").pipe(
      Flag.withSchema(BuilderId),
      Flag.withDescription("Id of the builder, which never changes")
    ),
    name: Flag.String("name").pipe(Flag.withSchema(DisplayName), Flag.withDescription("Display name")),
    payoutAddress: Flag.String("payout-address").pipe(
      Flag.withSchema(Address.NonZeroAddress),
      Flag.withDescription("Wallet that is paid and that signs in to the dashboard")
    ),
    builderBps: bps("bps", "Markup in basis points (default: 0)").pipe(Flag.withDefault(0)),
    maxBuilderBps: bps("max-bps", "Maximum markup in basis points (default: the markup)").pipe(Flag.optional),
    payoutMode: payoutMode.pipe(Flag.withDefault("onchain" as const)),
    json
  },
  ({ json, maxBuilderBps, ...registration }) =>
    Effect.gen(function* () {
      const { console, explained } = yield* BuilderClient.connect
      const payload: typeof RegistrationRequest.Type = {
        ...registration,
        maxBuilderBps: Option.getOrElse(maxBuilderBps, () => registration.builderBps)
      }
      const created = yield* explained(console.registerBuilder({ payload }))
      yield* printed(NewBuilderView, created, json, ({ apiKey, builder }) =>
        [asFacts({ ...builder, payoutMode: registration.payoutMode }), "", `API key  ${apiKey}`].join("\n")
      )
      yield* Console.error("The API key is shown only once: the backend stores its hash.")
    })
).pipe(
  Command.withDescription("Register a builder and print its API key, which is shown only once"),
  Command.withExamples([
    {
      command: 'sweep builders register --id acme --name "Acme" --bps 10 --max-bps 50 --payout-address 0x…',
      description: "Each sweep pays the builder 0.1 % on chain"
    },
    {
      command: 'sweep builders register --id acme --name "Acme" --payout-mode ledger --payout-address 0x…',
      description: "The markup is owed and paid in batches"
    }
  ])
)

const patch = Effect.fnUntraced(function* (id: string, payload: typeof PatchRequest.Type, asJson: boolean) {
  const { console, explained } = yield* BuilderClient.connect
  const changed = yield* explained(console.patchBuilder({ params: { id }, payload }))
  yield* printed(BuilderAccount, changed, asJson, asFacts)
})

const setBps = Command.make(
  "set-bps",
  {
    id,
    builderBps: Argument.String("bps").pipe(
      Argument.withSchema(MarkupText),
      Argument.withDescription("Markup in basis points. 100 is 1 %")
    ),
    maxBuilderBps: bps("max", "Also set the maximum markup, in basis points").pipe(Flag.optional),
    json
  },
  ({ builderBps, id, json, maxBuilderBps }) =>
    patch(id, { builderBps, ...(Option.isSome(maxBuilderBps) ? { maxBuilderBps: maxBuilderBps.value } : {}) }, json)
).pipe(
  Command.withDescription("Set a builder's markup, up to its maximum"),
  Command.withExamples([
    { command: "sweep builders set-bps acme 25", description: "Set the markup to 0.25 %" },
    { command: "sweep builders set-bps acme 25 --max 100", description: "Also set the maximum to 1 %" }
  ])
)

const setPayoutMode = Command.make(
  "set-payout-mode",
  { id, payoutMode: Argument.Literals("mode", ["onchain", "ledger"]), json },
  ({ id, json, payoutMode }) => patch(id, { payoutMode }, json)
).pipe(
  Command.withDescription(
    "Set how later sweeps pay a builder: on chain by the sweep (onchain), or owed and paid in batches (ledger)"
  ),
  Command.withExamples([
    { command: "sweep builders set-payout-mode acme ledger", description: "Pay later sweeps in batches" }
  ])
)

const setWalletChain = Command.make(
  "set-wallet-chain",
  {
    id,
    walletChainId: Argument.String("chain").pipe(
      Argument.withSchema(
        Schema.Union([
          Schema.Literal("none"),
          integerIn({ from: 1, to: Number.MAX_SAFE_INTEGER }).pipe(Schema.decodeTo(ChainId))
        ])
      ),
      Argument.withDescription("Chain id, or `none` to take that of the next sign-in")
    ),
    json
  },
  ({ id, json, walletChainId }) => patch(id, { walletChainId: walletChainId === "none" ? null : walletChainId }, json)
).pipe(
  Command.withDescription("Set the chain on which a builder's contract wallet signs in"),
  Command.withExamples([
    {
      command: "sweep builders set-wallet-chain acme 8453",
      description: "Accept the contract's signatures on Base only"
    },
    { command: "sweep builders set-wallet-chain acme none", description: "Take the chain of its next sign-in" }
  ])
)

const suspend = Command.make("suspend", { id, json }, ({ id, json }) => patch(id, { suspended: true }, json)).pipe(
  Command.withDescription("Suspend a builder: its API key no longer attributes sweeps. Earned fees stay owed"),
  Command.withExamples([{ command: "sweep builders suspend acme", description: "Suspend until `resume`" }])
)

const resume = Command.make("resume", { id, json }, ({ id, json }) => patch(id, { suspended: false }, json)).pipe(
  Command.withDescription("Resume a suspended builder: its API key attributes sweeps again")
)

export const buildersCommand = Command.make("builders").pipe(
  Command.withDescription("Manage builders: accounts, markups and payout modes"),
  Command.withSubcommands([list, show, register, setBps, setPayoutMode, setWalletChain, suspend, resume])
)
