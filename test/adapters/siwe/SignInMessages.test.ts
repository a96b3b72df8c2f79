import * as SignInMessages from "../../../src/adapters/siwe/SignInMessages.ts"
import { signInMessagesSuite } from "../../ports/builder/SignInMessages.suite.ts"

signInMessagesSuite("the parser of siwe", SignInMessages.layer)
