// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { DevBlocklistToken } from "../src/dev/DevBlocklistToken.sol";
import { DevFeeToken } from "../src/dev/DevFeeToken.sol";
import { DevNoReturnToken } from "../src/dev/DevNoReturnToken.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import {
    ExtraDebitToken,
    FalseToken,
    HookToken,
    MuteAllowanceToken,
    RebasingToken,
    StickyAllowanceToken
} from "./mocks/HostileTokens.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice Tokens that deviate from ERC-20: a sweep either does what the order says or reverts.
contract TokensTest is MockScene {
    DevNoReturnToken private usdt;

    function setUp() public override {
        super.setUp();
        usdt = new DevNoReturnToken("No Return", "NRT");
    }

    function test_InputThatReturnsNothing() public {
        usdt.mint(owner, AMOUNT);
        assertEq(_executeSigned(_order(owner, address(usdt), address(tokenOut), REST, OUT)), OUT);
        assertEq(usdt.balanceOf(feeRecipient), FEE);
        assertEq(usdt.balanceOf(builder), BUILDER_FEE);
        assertEq(usdt.allowance(owner, address(router)), 0);
    }

    function test_InputThatReturnsNothingAndHasAnOldAllowance() public {
        usdt.mint(owner, AMOUNT);
        vm.prank(owner);
        usdt.approve(address(router), 1);
        assertEq(_executeSigned(_order(owner, address(usdt), address(tokenOut), REST - 1, OUT)), OUT);
        assertEq(usdt.allowance(owner, address(router)), 0);
    }

    function test_OutputThatReturnsNothing() public {
        usdt.mint(address(router), OUT);
        assertEq(_executeSigned(_order(owner, address(tokenIn), address(usdt), REST, OUT)), OUT);
        assertEq(usdt.balanceOf(destination), OUT);
    }

    function test_InputThatShrinksOnTheWay() public {
        DevFeeToken token = new DevFeeToken("Fee", "FEE", 100);
        token.mint(owner, AMOUNT);
        assertEq(_executeSigned(_order(owner, address(token), address(tokenOut), REST, OUT)), OUT);
        assertEq(token.balanceOf(owner), 0);
        assertEq(token.balanceOf(feeRecipient), FEE * 99 / 100);
    }

    /// @dev The amount that arrived counts, not the amount that was sent.
    function test_OutputThatShrinksOnTheWay() public {
        DevFeeToken token = new DevFeeToken("Fee", "FEE", 100);
        token.mint(address(router), 2 * OUT);
        SweepOrder memory order = _order(owner, address(tokenIn), address(token), REST, OUT);
        _refused(order, ISweepErrors.InsufficientOutput.selector);
        order.minAmountOut = OUT * 99 / 100;
        assertEq(_executeSigned(order), OUT * 99 / 100);
    }

    function test_InputThatCostsMoreThanItMoves() public {
        ExtraDebitToken token = new ExtraDebitToken();
        token.mint(owner, AMOUNT + 1);
        _refused(_order(owner, address(token), address(tokenOut), REST, OUT), ISweepErrors.InputOverspent.selector);
    }

    function test_InputThatRebasesDuringTheSwap() public {
        RebasingToken token = new RebasingToken();
        token.mint(owner, 2 * AMOUNT);
        SweepOrder memory order = _order(owner, address(token), address(tokenOut), REST, OUT);
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough,
            (
                address(token),
                abi.encodeCall(RebasingToken.rebase, (0.9e18)),
                address(token),
                REST,
                address(tokenOut),
                OUT,
                destination
            )
        );
        _refused(order, ISweepErrors.InputOverspent.selector);
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough,
            (
                address(token),
                abi.encodeCall(RebasingToken.rebase, (1.1e18)),
                address(token),
                REST,
                address(tokenOut),
                OUT,
                destination
            )
        );
        assertEq(_executeSigned(order), OUT);
    }

    function test_PartyOnABlocklist() public {
        DevBlocklistToken token = new DevBlocklistToken("Blocklist", "BLK", 6, address(this));
        token.mint(owner, AMOUNT);
        token.mint(address(router), OUT);
        address[3] memory parties = [feeRecipient, builder, owner];
        for (uint256 i; i < parties.length; ++i) {
            token.setBlocked(parties[i], true);
            _refused(_order(owner, address(token), address(tokenOut), REST, OUT), ISweepErrors.TransferFailed.selector);
            token.setBlocked(parties[i], false);
        }
        token.setBlocked(address(router), true);
        _failsToSwap(_order(owner, address(token), address(tokenOut), REST, OUT));
        token.setBlocked(address(router), false);
        token.setBlocked(destination, true);
        _failsToSwap(_order(owner, address(tokenIn), address(token), REST, OUT));
        token.setBlocked(destination, false);
        assertEq(_executeSigned(_order(owner, address(token), address(tokenOut), REST, OUT)), OUT);
    }

    function test_InputThatReturnsFalse() public {
        FalseToken token = new FalseToken();
        token.mint(owner, AMOUNT);
        SweepOrder memory order = _order(owner, address(token), address(tokenOut), REST, OUT);
        token.setFailing(true, false);
        _refused(order, ISweepErrors.TransferFailed.selector);
        token.setFailing(false, true);
        _refused(order, ISweepErrors.ApproveFailed.selector);
        token.setFailing(false, false);
        assertEq(_executeSigned(order), OUT);
    }

    function test_OutputThatReturnsFalse() public {
        FalseToken token = new FalseToken();
        token.mint(address(router), OUT);
        token.setFailing(true, false);
        _failsToSwap(_order(owner, address(tokenIn), address(token), REST, OUT));
    }

    /// @dev The allowance is asked for only where input is left. A token that does not count allowances down keeps one that
    ///      is used up, for the listed target and no more than the order's amount.
    function test_InputThatKeepsItsAllowance() public {
        StickyAllowanceToken token = new StickyAllowanceToken();
        token.mint(owner, 2 * AMOUNT);
        _executeSigned(_order(owner, address(token), address(tokenOut), REST, OUT));
        assertEq(token.allowance(owner, address(router)), REST);
        SweepOrder memory order = _order(owner, address(token), address(tokenOut), REST - 1, OUT);
        order.nonce = _nonce(1);
        _executeSigned(order);
        assertEq(token.allowance(owner, address(router)), 0);
    }

    /// @dev Without an answer, the remaining allowance is assumed not to be zero.
    function test_AllowanceIsClearedWhereTheTokenDoesNotTellIt() public {
        MuteAllowanceToken.Answer[2] memory answers =
            [MuteAllowanceToken.Answer.Revert, MuteAllowanceToken.Answer.Short];
        for (uint256 i; i < answers.length; ++i) {
            MuteAllowanceToken token = new MuteAllowanceToken(answers[i]);
            token.mint(owner, AMOUNT);
            SweepOrder memory order = _order(owner, address(token), address(tokenOut), REST - 1, OUT);
            order.nonce = _nonce(i);
            assertEq(_executeSigned(order), OUT);
            assertEq(token.standing(owner, address(router)), 0);
        }
    }

    function test_InputWithoutCode() public {
        SweepOrder memory order = _order(owner, makeAddr("nothing"), address(tokenOut), 0, OUT);
        _refused(order, ISweepErrors.TransferFailed.selector);
        (order.feeAmount, order.builderFee) = (0, 0);
        _refused(order, ISweepErrors.ApproveFailed.selector);
    }

    function test_OutputWithoutCode() public {
        SweepOrder memory order = _order();
        order.tokenOut = makeAddr("nothing");
        _refused(order, ISweepErrors.InsufficientOutput.selector);
    }

    /// @dev The lock stops a token's hook from starting any other sweep.
    function test_HookCannotStartAnotherSweep() public {
        (address victim, uint256 victimKey) = makeAddrAndKey("victim");
        _delegate(victim, address(delegate));
        tokenIn.mint(victim, AMOUNT);
        SweepOrder memory inner = _order(victim, address(tokenIn), address(tokenOut), REST, OUT);

        HookToken token = new HookToken();
        token.mint(owner, AMOUNT);
        token.setHook(victim, abi.encodeCall(ISweepDelegate.execute, (inner, _sign(inner, victimKey))));
        _executeSigned(_order(owner, address(token), address(tokenOut), REST, OUT));

        assertTrue(token.called());
        assertFalse(token.succeeded());
        assertEq(bytes4(token.result()), ISweepErrors.Locked.selector);
        assertEq(tokenIn.balanceOf(victim), AMOUNT);
        assertFalse(guard.isNonceUsed(victim, _nonce(0)));
    }

    function test_HookCannotRunTheSameOwnersNextOrder() public {
        tokenIn.mint(owner, AMOUNT);
        SweepOrder memory inner = _order();
        inner.nonce = _nonce(1);
        HookToken token = new HookToken();
        token.mint(owner, AMOUNT);
        token.setHook(owner, abi.encodeCall(ISweepDelegate.execute, (inner, _sign(inner, ownerKey))));
        _executeSigned(_order(owner, address(token), address(tokenOut), REST, OUT));
        assertEq(bytes4(token.result()), ISweepErrors.Locked.selector);
        assertFalse(guard.isNonceUsed(owner, _nonce(1)));
    }

    function _refused(SweepOrder memory order, bytes4 reason) private {
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(reason);
        ISweepDelegate(order.owner).execute(order, signature);
    }

    function _failsToSwap(SweepOrder memory order) private {
        bytes memory signature = _sign(order, ownerKey);
        vm.expectPartialRevert(ISweepErrors.SwapFailed.selector);
        ISweepDelegate(order.owner).execute(order, signature);
    }
}
