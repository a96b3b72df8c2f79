// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { Kind } from "../src/interfaces/ISweepGuard.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice Orders that must not run although their owner signed them.
contract RulesTest is MockScene {
    function test_DeadlineIsTheLastSecond() public {
        SweepOrder memory order = _order();
        bytes memory signature = _sign(order, ownerKey);
        vm.warp(order.deadline + 1);
        vm.expectRevert(ISweepErrors.Expired.selector);
        ISweepDelegate(owner).execute(order, signature);
        vm.warp(order.deadline);
        _execute(order, signature);
    }

    function testFuzz_FeesMustLeaveSomething(uint256 amount, uint256 fee, uint256 builderFee) public {
        SweepOrder memory order = _order();
        (order.amountIn, order.feeAmount, order.builderFee) = (amount, fee, builderFee);
        unchecked {
            uint256 fees = fee + builderFee;
            vm.assume(fees < fee || fees >= amount);
        }
        _refused(order, ISweepErrors.FeesExceedInput.selector);
    }

    function test_FeesEqualToTheAmountAreRefused() public {
        SweepOrder memory order = _order();
        order.feeAmount = AMOUNT - BUILDER_FEE;
        _refused(order, ISweepErrors.FeesExceedInput.selector);
        order.feeAmount = AMOUNT;
        order.builderFee = 0;
        _refused(order, ISweepErrors.FeesExceedInput.selector);
    }

    function test_OneUnitLeftIsEnough() public {
        SweepOrder memory order = _order(owner, address(tokenIn), address(tokenOut), 1, OUT);
        order.feeAmount = AMOUNT - BUILDER_FEE - 1;
        assertEq(_executeSigned(order), OUT);
        assertEq(tokenIn.balanceOf(address(router)), 1);
    }

    function test_BuilderFeeNeedsABuilder() public {
        SweepOrder memory order = _order();
        order.builder = address(0);
        _refused(order, ISweepErrors.BuilderFeeWithoutBuilder.selector);
        order.builderFee = 0;
        _executeSigned(order);
    }

    function test_TargetMustNotBeAPartyOfTheOrder() public {
        address[3] memory parties = [address(tokenIn), address(tokenOut), owner];
        for (uint256 i; i < parties.length; ++i) {
            SweepOrder memory order = _order();
            order.swapTarget = parties[i];
            _refused(order, ISweepErrors.BadSwapTarget.selector);
        }
    }

    /// @dev Even when they are listed, because a router may also be a token.
    function test_TargetMustNotBeATokenOfTheOrderEvenWhenListed() public {
        vm.startPrank(admin);
        guard.setTarget(address(tokenIn), Kind.Router, true);
        guard.setTarget(address(tokenOut), Kind.Router, true);
        guard.setTarget(weth, Kind.Router, true);
        vm.stopPrank();
        vm.warp(block.timestamp + TIMELOCK);
        SweepOrder memory order = _order();
        order.swapTarget = address(tokenIn);
        _refused(order, ISweepErrors.BadSwapTarget.selector);
        order.swapTarget = address(tokenOut);
        _refused(order, ISweepErrors.BadSwapTarget.selector);
        order.tokenIn = NATIVE;
        order.swapTarget = weth;
        _refused(order, ISweepErrors.BadSwapTarget.selector);
    }

    function test_TargetMustBeListed() public {
        address[6] memory targets = [
            address(delegate), address(guard), address(entry), PERMIT2, makeAddr("no code"), address(new MockRouter())
        ];
        for (uint256 i; i < targets.length; ++i) {
            SweepOrder memory order = _order();
            order.swapTarget = targets[i];
            _refused(order, ISweepErrors.TargetNotAllowed.selector);
        }
    }

    /// @dev A router could not tell the destination's chain from its calldata, and a bridge's delivery is not measured here.
    function test_RouterTakesNoOrderAbroadAndBridgeTakesNoneThatStays() public {
        SweepOrder memory order = _bridged(REST, OUT);
        order.swapTarget = address(router);
        _refused(order, ISweepErrors.TargetNotAllowed.selector);
        order = _order();
        order.swapTarget = address(bridge);
        _refused(order, ISweepErrors.TargetNotAllowed.selector);
    }

    function test_TokensMustDiffer() public {
        SweepOrder memory order = _order();
        order.tokenOut = order.tokenIn;
        _refused(order, ISweepErrors.SameToken.selector);
        order.tokenIn = order.tokenOut = NATIVE;
        _refused(order, ISweepErrors.SameToken.selector);
        order.tokenIn = order.tokenOut = weth;
        _refused(order, ISweepErrors.SameToken.selector);
    }

    function test_SameChainOrderNeedsAMinimum() public {
        SweepOrder memory order = _order();
        order.minAmountOut = 0;
        _refused(order, ISweepErrors.ZeroMinOut.selector);
    }

    function test_MinimumIsExact() public {
        SweepOrder memory order = _order();
        order.minAmountOut = OUT + 1;
        _refused(order, ISweepErrors.InsufficientOutput.selector);
        order.minAmountOut = OUT;
        assertEq(_executeSigned(order), OUT);
    }

    function test_EarlierBalanceDoesNotCount() public {
        tokenOut.mint(destination, 10 * OUT);
        SweepOrder memory order = _order(owner, address(tokenIn), address(tokenOut), REST, OUT - 1);
        _refused(order, ISweepErrors.InsufficientOutput.selector);
    }

    function test_DestinationThatLosesOutputIsNoSuccess() public {
        Taker taker = new Taker();
        tokenOut.mint(destination, 1);
        vm.prank(destination);
        tokenOut.approve(address(taker), 1);
        SweepOrder memory order = _order();
        bytes memory take = abi.encodeCall(Taker.take, (address(tokenOut), destination));
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough, (address(taker), take, address(tokenIn), REST, address(tokenOut), 0, destination)
        );
        _refused(order, ISweepErrors.InsufficientOutput.selector);
    }

    function test_OwnerMayBeTheDestination() public {
        tokenOut.mint(owner, OUT);
        SweepOrder memory order = _order();
        order.destination = owner;
        order.swapCalldata =
            abi.encodeCall(MockRouter.swap, (address(tokenIn), REST, address(tokenOut), OUT - 1, owner));
        _refused(order, ISweepErrors.InsufficientOutput.selector);
        order.swapCalldata = abi.encodeCall(MockRouter.swap, (address(tokenIn), REST, address(tokenOut), OUT, owner));
        assertEq(_executeSigned(order), OUT);
    }

    function test_OrderThatLeavesTheChainHasNoOutputHere() public {
        SweepOrder memory order = _bridged(REST, 0);
        order.minAmountOut = OUT;
        _refused(order, ISweepErrors.InsufficientOutput.selector);
        order.minAmountOut = 0;
        assertEq(_executeSigned(order), 0);
        assertEq(tokenIn.balanceOf(address(bridge)), REST);
    }

    /// @dev The output token's address may exist on this chain as well. A delivery here is not the order's output.
    function test_DeliveryHereIsNoOutputOfAnOrderThatLeavesTheChain() public {
        SweepOrder memory order = _bridged(REST, OUT);
        order.minAmountOut = OUT;
        _refused(order, ISweepErrors.InsufficientOutput.selector);
        order.minAmountOut = 0;
        assertEq(_executeSigned(order), 0);
        assertEq(tokenOut.balanceOf(destination), OUT);
    }

    function test_OrderThatLeavesTheChainMayKeepTheTokensAddress() public {
        SweepOrder memory order = _bridged(REST, 0);
        order.tokenOut = order.tokenIn;
        assertEq(_executeSigned(order), 0);
    }

    function test_FailureOfTheSwapIsReported() public {
        SweepOrder memory order = _order();
        order.swapCalldata = abi.encodeCall(MockRouter.fail, (hex"deadbeef"));
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(abi.encodeWithSelector(ISweepErrors.SwapFailed.selector, hex"deadbeef"));
        ISweepDelegate(owner).execute(order, signature);
    }

    function testFuzz_ReportOfAFailureIsBounded(bytes memory reason, uint16 extra) public {
        reason = bytes.concat(reason, new bytes(extra % 600));
        SweepOrder memory order = _order();
        order.swapCalldata = abi.encodeCall(MockRouter.fail, (reason));
        bytes memory data = abi.encodeCall(ISweepDelegate.execute, (order, _sign(order, ownerKey)));
        (bool ok, bytes memory result) = owner.call(data);
        assertFalse(ok);
        bytes memory kept = reason;
        if (kept.length > 256) {
            assembly ("memory-safe") {
                mstore(kept, 256)
            }
        }
        assertEq(result, abi.encodeWithSelector(ISweepErrors.SwapFailed.selector, kept));
    }

    function test_RefusedOrderLeavesEverythingAsItWas() public {
        SweepOrder memory order = _order();
        order.minAmountOut = OUT + 1;
        _refused(order, ISweepErrors.InsufficientOutput.selector);
        assertFalse(guard.isNonceUsed(owner, _nonce(0)));
        assertEq(tokenIn.balanceOf(owner), AMOUNT);
        assertEq(tokenIn.balanceOf(feeRecipient), 0);
        assertEq(tokenIn.allowance(owner, address(router)), 0);
    }

    function _refused(SweepOrder memory order, bytes4 reason) private {
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(reason);
        ISweepDelegate(order.owner).execute(order, signature);
    }
}

/// @notice Takes one unit from an account that approved it.
contract Taker {
    function take(address token, address from) external {
        (bool ok,) =
            token.call(abi.encodeWithSignature("transferFrom(address,address,uint256)", from, address(this), 1));
        require(ok, "not taken");
    }
}
