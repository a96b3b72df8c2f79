/** The rooms of `src`, and what each may import. `scripts/check-imports.ts` holds the modules to them. */

/** A room is a directory of `src`, or a file directly under it. The longest name that begins a path is the path's room. */
export interface Rule {
  /** Rooms that it may import besides itself. A layer's name stands for all rooms of the layer. */
  readonly imports: ReadonlyArray<string>
  /** Packages by name or prefix; absent means any. */
  readonly packages?: ReadonlyArray<string>
}

/** Packages that run in a browser as well. */
const PURE = ["effect", "viem"]

const EVERYTHING = [
  "domain",
  "catalog",
  "ports",
  "runtime",
  "telemetry",
  "orchestrator",
  "builder",
  "api",
  "adapters",
  "server",
  "config",
  "sdk",
  "mcp",
  "web",
  "devnet",
  "apps",
  "cli"
]

/** A room of the orchestrator's use cases, with the sibling rooms that it may import. */
const useCase = (...siblings: ReadonlyArray<string>): Rule => ({
  imports: [
    "domain",
    "ports/shared",
    "ports/orchestrator",
    "runtime",
    "telemetry",
    ...["shared", ...siblings].map((sibling) => `orchestrator/${sibling}`)
  ],
  packages: PURE
})

/** The treasury is a client of the quotes and submissions, and reviews what it signs with the client's own code. */
const treasuryUseCase: Rule = {
  ...useCase(),
  imports: [...useCase("quote", "intake").imports, "sdk/model", "sdk/review"]
}

const builderUseCase: Rule = {
  imports: ["domain", "ports/shared", "ports/builder", "runtime", "telemetry", "builder/shared"],
  packages: PURE
}

/** A room of adapters. Each may read bodies of responses. */
const adapter = (...imports: ReadonlyArray<string>): Rule => ({
  imports: ["domain", "ports", "telemetry", "adapters/body", ...imports]
})

export const RULES: Readonly<Record<string, Rule>> = {
  domain: { imports: [], packages: PURE },
  catalog: { imports: ["domain"], packages: [] },

  "ports/shared": { imports: ["domain"], packages: ["effect"] },
  "ports/orchestrator": { imports: ["domain", "ports/shared"], packages: ["effect"] },
  "ports/builder": { imports: ["domain", "ports/shared"], packages: ["effect"] },

  "api/shared": { imports: ["domain"], packages: ["effect"] },
  "api/orchestrator": { imports: ["domain", "api/shared"], packages: ["effect"] },
  "api/builder": { imports: ["domain", "api/shared"], packages: ["effect"] },

  telemetry: { imports: ["domain"], packages: ["effect"] },
  "telemetry/metrics": { imports: ["telemetry"], packages: ["effect"] },
  runtime: { imports: ["domain", "ports/shared", "telemetry"], packages: ["effect"] },

  "orchestrator/shared": {
    imports: ["domain", "ports/shared", "ports/orchestrator", "runtime", "telemetry"],
    packages: PURE
  },
  "orchestrator/quote": useCase(),
  "orchestrator/intake": useCase(),
  "orchestrator/settle": useCase(),
  "orchestrator/relay": useCase("settle"),
  "orchestrator/outbox": useCase(),
  "orchestrator/watch": useCase("settle", "relay", "outbox"),
  "orchestrator/portfolio": useCase(),
  "orchestrator/operate": useCase(),
  "orchestrator/treasury": treasuryUseCase,

  "builder/shared": { imports: ["domain", "ports/shared", "ports/builder", "runtime", "telemetry"], packages: PURE },
  "builder/account": builderUseCase,
  "builder/ledger": builderUseCase,
  "builder/payout": builderUseCase,
  "builder/webhook": builderUseCase,
  builder: { imports: ["builder"], packages: ["effect"] },

  "adapters/memory/shared": adapter(),
  "adapters/memory/orchestrator": adapter("adapters/memory/shared"),
  "adapters/memory/builder": adapter("adapters/memory/shared"),
  "adapters/sql/shared": adapter(),
  "adapters/sql/orchestrator": adapter("adapters/sql/shared"),
  "adapters/sql/builder": adapter("adapters/sql/shared"),
  "adapters/evm/abi": adapter(),
  "adapters/evm/rpc": adapter(),
  "adapters/evm/codec": adapter("adapters/evm/abi"),
  "adapters/evm/keys": adapter("adapters/evm/codec"),
  "adapters/evm/contracts": adapter("adapters/evm/abi", "adapters/evm/codec"),
  "adapters/evm/chains": adapter(
    "catalog",
    "adapters/evm/rpc",
    "adapters/evm/codec",
    "adapters/evm/contracts",
    "adapters/http"
  ),
  "adapters/body": { imports: [], packages: ["effect"] },
  "adapters/http": adapter("adapters/providers"),
  "adapters/providers": adapter(),
  "adapters/kms": adapter("adapters/evm/keys", "adapters/http"),
  "adapters/signers": adapter("adapters/evm/keys", "adapters/http", "adapters/kms"),
  "adapters/secrets": adapter(),
  "adapters/redis": adapter(),
  "adapters/bridge": adapter("adapters/evm", "adapters/providers", "adapters/swap", "runtime"),
  "adapters/swap": adapter("adapters/evm", "adapters/providers", "runtime"),
  "adapters/prices": adapter("adapters/evm", "adapters/http", "adapters/providers", "adapters/swap"),
  "adapters/portfolio": adapter("adapters/evm", "adapters/providers", "runtime"),
  "adapters/risk": adapter("adapters/evm", "adapters/providers", "runtime"),
  "adapters/screening": adapter("adapters/evm", "adapters/providers"),
  "adapters/siwe": adapter(),
  "adapters/telemetry": adapter(),
  "adapters/jose": adapter(),

  "server/shared": { imports: ["domain", "ports/shared", "api/shared", "runtime", "telemetry", "config"] },
  "server/orchestrator": {
    imports: [
      "domain",
      "ports/shared",
      "ports/orchestrator",
      "runtime",
      "orchestrator",
      "api/shared",
      "api/orchestrator",
      "server/shared"
    ]
  },
  "server/builder": {
    imports: [
      "domain",
      "ports/shared",
      "ports/builder",
      "builder",
      "api/shared",
      "api/builder",
      "server/shared",
      "server/web"
    ]
  },
  "server/web": { imports: ["domain", "ports/shared", "builder", "api/shared", "api/builder", "server/shared"] },

  config: { imports: ["domain", "orchestrator/shared", "builder/shared"], packages: ["effect"] },
  "sdk/model": { imports: [], packages: [] },
  "sdk/core": { imports: ["sdk/model"], packages: ["viem"] },
  "sdk/wire": { imports: ["sdk/model", "sdk/core"], packages: [] },
  "sdk/review": { imports: ["sdk/model", "sdk/core"], packages: ["viem"] },
  "sdk/sign": { imports: ["sdk/model", "sdk/core", "sdk/review"], packages: [] },
  "sdk/client": {
    imports: ["sdk/model", "sdk/core", "sdk/wire", "sdk/review", "sdk/sign"],
    packages: []
  },
  "sdk/effect": {
    imports: ["domain", "api", "sdk/model", "sdk/core", "sdk/wire", "sdk/review", "sdk/sign"],
    packages: PURE
  },
  // The entries of the package, which only re-export.
  sdk: { imports: ["sdk", "api/orchestrator"], packages: [] },
  "mcp/snippet": { imports: ["domain", "sdk"], packages: [] },
  mcp: { imports: ["domain", "api", "sdk", "config", "mcp/snippet"] },

  "web/lib": { imports: ["domain"] },
  "web/api": { imports: ["domain", "api", "sdk", "web/lib"] },
  "web/ui": { imports: ["domain", "web/lib", "web/api"] },
  "web/wallet": { imports: ["domain", "sdk", "web/lib", "web/api"] },
  "web/sweep": { imports: ["domain", "api", "sdk", "web/lib", "web/api", "web/ui", "web/wallet"] },
  "web/dashboard": { imports: ["domain", "api", "sdk", "web/lib", "web/api", "web/ui", "web/wallet"] },
  "web/admin": { imports: ["domain", "api", "sdk", "web/lib", "web/api", "web/ui", "web/dashboard"] },
  web: { imports: ["web"] },

  "devnet/demo": { imports: ["domain", "ports", "api", "adapters", "sdk", "config", "devnet"] },
  "devnet/market": { imports: ["domain", "catalog", "adapters", "devnet"] },
  devnet: { imports: ["domain", "ports", "orchestrator", "builder", "api", "adapters", "sdk", "config"] },
  apps: { imports: EVERYTHING },
  cli: { imports: EVERYTHING },
  "main.ts": { imports: EVERYTHING }
}
