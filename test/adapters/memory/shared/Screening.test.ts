import * as MemoryScreening from "../../../../src/adapters/memory/shared/Screening.ts"
import * as Accounts from "../../../../src/devnet/Accounts.ts"
import * as ScreeningSuite from "../../../ports/shared/Screening.suite.ts"
import { fixture } from "../../screening/fixture.ts"

ScreeningSuite.suite("memory", MemoryScreening.layer({ listed: new Set([Accounts.sanctioned()]) }), fixture)
