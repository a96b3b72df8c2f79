/** `./sweep builders`: accounts, over the builder backend's admin API. */
import { Console, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { NewBuilderView } from "../api/builder/AccountSchemas.ts"
import { BuilderDetail, type PatchRequest, type RegistrationRequest, TotalsView } from "../api/builder/Schemas.ts"
import * as Address from "../domain/Address.ts"
import { BuilderAccount, BuilderId, DisplayName, Markup } from "../domain/Builder.ts"
import * as BuilderBackend from "./BuilderClient.ts"
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
    ["state", state(builder)],
    ["since", new Date(builder.createdAtMs).toISOString()]
  ])

const list = Command.make(
  "list",
  {
    search: Flag.String("search").pipe(
      Flag.withDescription("Only those whose id, name or payout address contains this, in any case"),
      Flag.optional
    ),
    json
  },
  ({ json, search }) =>
    Effect.gen(function* () {
      const { console, explained } = yield* BuilderBackend.connect
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
    { command: "sweep builders list", description: "All of them" },
    { command: "sweep builders list --search acme --json", description: "Some, for a program" }
  ])
)

const Shown = Schema.Struct({ ...BuilderDetail.fields, totals: TotalsView.fields.totals })

const show = Command.make("show", { id, json }, ({ id, json }) =>
  Effect.gen(function* () {
    const { console, explained } = yield* BuilderBackend.connect
    const [detail, { totals }] = yield* explained(
      Effect.all([console.builder({ params: { id } }), console.builderAccruals({ params: { id } })])
    )
    yield* printed(Shown, { ...detail, totals }, json, ({ apiKey, builder }) =>
      [
        asFacts(builder),
        ...(apiKey === undefined ? [] : [`key begins with ${apiKey.prefix}`]),
        "",
        table(
          ["CHAIN", "TOKEN", "EARNED", "PAID", "OWED"],
          totals.map(({ chainId, earned, owed, paid, token }) => [
            String(chainId ?? "unknown"),
            token,
            earned.toString(),
            paid.toString(),
            owed.toString()
          ]),
          "nothing earned yet"
        )
      ].join("\n")
    )
  })
).pipe(Command.withDescription("Show a builder, and what it earned, was paid and is owed"))

const bps = (name: string, meaning: string) =>
  Flag.String(name).pipe(
    Flag.withSchema(Schema.NumberFromString.pipe(Schema.decodeTo(Markup))),
    Flag.withDescription(meaning)
  )

const payoutMode = Flag.Literals("payout-mode", ["onchain", "ledger"]).pipe(
  Flag.withDescription("onchain: each sweep pays the builder's address; ledger: owed, and paid in batches")
)

const register = Command.make(
  "register",
  {
    id: Flag.String("id").pipe(Flag.withSchema(BuilderId), Flag.withDescription("Its id, which never changes")),
    name: Flag.String("name").pipe(Flag.withSchema(DisplayName), Flag.withDescription("Its name, as people read it")),
    payoutAddress: Flag.String("payout-address").pipe(
      Flag.withSchema(Address.NonZeroAddress),
      Flag.withDescription("The wallet that is paid, and that signs in to the dashboard")
    ),
    builderBps: bps("bps", "Its markup in basis points; 0 unless told").pipe(Flag.withDefault(0)),
    maxBuilderBps: bps("max-bps", "The cap of its markup; the markup unless told").pipe(Flag.optional),
    payoutMode: payoutMode.pipe(Flag.withDefault("onchain" as const)),
    json
  },
  ({ json, maxBuilderBps, ...registration }) =>
    Effect.gen(function* () {
      const { console, explained } = yield* BuilderBackend.connect
      const payload: typeof RegistrationRequest.Type = {
        ...registration,
        maxBuilderBps: Option.getOrElse(maxBuilderBps, () => registration.builderBps)
      }
      const created = yield* explained(console.registerBuilder({ payload }))
      yield* printed(NewBuilderView, created, json, ({ apiKey, builder }) =>
        [asFacts({ ...builder, payoutMode: registration.payoutMode }), "", `API key  ${apiKey}`].join("\n")
      )
      yield* Console.error("The API key is shown this once; the backend keeps its hash alone.")
    })
).pipe(
  Command.withDescription("Register a builder; prints its API key, once"),
  Command.withExamples([
    {
      command: 'sweep builders register --id acme --name "Acme" --bps 10 --max-bps 50 --payout-address 0x…',
      description: "A builder that each sweep pays 0.1 % at once"
    },
    {
      command: 'sweep builders register --id acme --name "Acme" --payout-mode ledger --payout-address 0x…',
      description: "One that is owed its markup and paid in batches"
    }
  ])
)

const patch = Effect.fnUntraced(function* (id: string, payload: typeof PatchRequest.Type, asJson: boolean) {
  const { console, explained } = yield* BuilderBackend.connect
  const changed = yield* explained(console.patchBuilder({ params: { id }, payload }))
  yield* printed(BuilderAccount, changed, asJson, asFacts)
})

const setBps = Command.make(
  "set-bps",
  {
    id,
    builderBps: Argument.String("bps").pipe(
      Argument.withSchema(Schema.NumberFromString.pipe(Schema.decodeTo(Markup))),
      Argument.withDescription("Its markup in basis points; 100 is 1 %")
    ),
    maxBuilderBps: bps("max", "Set the cap of its markup too").pipe(Flag.optional),
    json
  },
  ({ builderBps, id, json, maxBuilderBps }) =>
    patch(id, { builderBps, ...(Option.isSome(maxBuilderBps) ? { maxBuilderBps: maxBuilderBps.value } : {}) }, json)
).pipe(
  Command.withDescription("Set a builder's markup, within its cap"),
  Command.withExamples([
    { command: "sweep builders set-bps acme 25", description: "0.25 %" },
    { command: "sweep builders set-bps acme 25 --max 100", description: "The same, and the cap to 1 %" }
  ])
)

const setPayoutMode = Command.make(
  "set-payout-mode",
  { id, payoutMode: Argument.Literals("mode", ["onchain", "ledger"]), json },
  ({ id, json, payoutMode }) => patch(id, { payoutMode }, json)
).pipe(
  Command.withDescription("Have sweeps from now on pay a builder themselves (onchain), or owe it (ledger)"),
  Command.withExamples([{ command: "sweep builders set-payout-mode acme ledger", description: "Pay in batches" }])
)

const suspend = Command.make("suspend", { id, json }, ({ id, json }) => patch(id, { suspended: true }, json)).pipe(
  Command.withDescription("Have a builder's key attribute nothing; what it earned stays owed"),
  Command.withExamples([{ command: "sweep builders suspend acme", description: "Until `resume`" }])
)

const resume = Command.make("resume", { id, json }, ({ id, json }) => patch(id, { suspended: false }, json)).pipe(
  Command.withDescription("Let a suspended builder's key attribute again")
)

export const buildersCommand = Command.make("builders").pipe(
  Command.withDescription("Manage builders: accounts, markups and payout modes"),
  Command.withSubcommands([list, show, register, setBps, setPayoutMode, suspend, resume])
)
