/** `./sweep operate`: changes a running service, over the operator routes of both services. Every change is recorded. */
import { Command } from "effect/cli"
import { operateEndpoints } from "./OperateEndpoints.ts"
import { operateFind, operateStory } from "./OperateFind.ts"
import { operateLanes } from "./OperateLanes.ts"
import { operateLimits } from "./OperateLimits.ts"
import { operateRateLimits } from "./OperateRateLimits.ts"
import { operateLog } from "./OperateLog.ts"
import { operatePause, operatePauses, operateReset, operateResume } from "./OperatePauses.ts"

export const operateCommand = Command.make("operate").pipe(
  Command.withDescription("Change a running service. Every change holds on all replicas and is recorded"),
  Command.withSubcommands([
    operatePause,
    operateResume,
    operateReset,
    operatePauses,
    operateLimits,
    operateRateLimits,
    operateEndpoints,
    operateFind,
    operateStory,
    operateLanes,
    operateLog
  ])
)
