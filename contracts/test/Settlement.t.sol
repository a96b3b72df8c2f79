// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { IERC20 } from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { ISweepGuard } from "../src/interfaces/ISweepGuard.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice A sweep moves exact amounts, and its event repeats them.
contract SettlementTest is MockScene {
    function testFuzz_FeesAreExact(uint256 amount, uint256 fee, uint256 builderFee, uint256 out) public {
        amount = bound(amount, 1, type(uint128).max);
        fee = bound(fee, 0, amount - 1);
        builderFee = bound(builderFee, 0, amount - 1 - fee);
        out = bound(out, 1, 1_000_000e18);
        uint256 rest = amount - fee - builderFee;
        deal(address(tokenIn), owner, amount);

        SweepOrder memory order = _order(owner, address(tokenIn), address(tokenOut), rest, out);
        (order.amountIn, order.feeAmount, order.builderFee, order.minAmountOut) = (amount, fee, builderFee, out);
        assertEq(_executeSigned(order), out);

        assertEq(tokenIn.balanceOf(feeRecipient), fee);
        assertEq(tokenIn.balanceOf(builder), builderFee);
        assertEq(tokenIn.balanceOf(address(router)), rest);
        assertEq(tokenIn.balanceOf(owner), 0);
        assertEq(tokenOut.balanceOf(destination), out);
        assertEq(tokenIn.allowance(owner, address(router)), 0);
    }

    function test_GuardLogsTheSweep() public {
        SweepOrder memory order = _order(owner, address(tokenIn), address(tokenOut), REST, OUT + 7);
        order.nonce = _nonce(300);
        vm.expectEmit(address(guard));
        emit ISweepGuard.Swept(
            _digest(order),
            owner,
            builder,
            address(tokenIn),
            AMOUNT,
            FEE,
            BUILDER_FEE,
            address(tokenOut),
            OUT + 7,
            destination,
            address(router),
            _nonce(300),
            block.chainid
        );
        assertEq(_executeSigned(order), OUT + 7);
    }

    /// @dev A sweep that the guard does not log is no settlement, so it must not happen.
    function test_SweepThatTheGuardDoesNotLogReverts() public {
        bytes memory reason = abi.encodeWithSelector(ISweepErrors.Unauthorized.selector);
        vm.mockCallRevert(address(guard), abi.encodeWithSelector(ISweepGuard.exit.selector), reason);
        bytes memory signature = _sign(_order(), ownerKey);
        vm.expectRevert(reason);
        ISweepDelegate(owner).execute(_order(), signature);
        assertEq(tokenIn.balanceOf(owner), AMOUNT);
        assertFalse(guard.isNonceUsed(owner, _nonce(0)));
    }

    function testFuzz_AllowanceIsClearedWhateverTheTargetTakes(uint256 taken) public {
        taken = bound(taken, 0, REST);
        _executeSigned(_order(owner, address(tokenIn), address(tokenOut), taken, OUT));
        assertEq(tokenIn.allowance(owner, address(router)), 0);
        assertEq(tokenIn.balanceOf(owner), REST - taken);
    }

    function testFuzz_EarlierAllowanceDoesNotAddUp(uint256 earlier) public {
        earlier = bound(earlier, REST + 1, type(uint256).max);
        tokenIn.mint(owner, AMOUNT);
        vm.prank(owner);
        tokenIn.approve(address(router), earlier);
        SweepOrder memory order = _order(owner, address(tokenIn), address(tokenOut), REST + 1, OUT);
        bytes memory signature = _sign(order, ownerKey);
        vm.expectPartialRevert(ISweepErrors.SwapFailed.selector);
        ISweepDelegate(owner).execute(order, signature);

        _executeSigned(_order());
        assertEq(tokenIn.allowance(owner, address(router)), 0);
    }

    function test_TargetCannotTakeMoreThanTheOrder() public {
        tokenIn.mint(owner, AMOUNT);
        SweepOrder memory order = _order(owner, address(tokenIn), address(tokenOut), REST + 1, OUT);
        bytes memory signature = _sign(order, ownerKey);
        vm.expectPartialRevert(ISweepErrors.SwapFailed.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    /// @dev An earlier approval by the owner of some hop must not become part of the sweep.
    function test_InputTakenPastTheTargetReverts() public {
        Spender spender = new Spender();
        tokenIn.mint(owner, AMOUNT);
        vm.prank(owner);
        tokenIn.approve(address(spender), 1);
        SweepOrder memory order = _order();
        bytes memory spend = abi.encodeCall(Spender.spend, (tokenIn, owner, 1));
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough,
            (address(spender), spend, address(tokenIn), REST, address(tokenOut), OUT, destination)
        );
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.InputOverspent.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function test_SweepWithoutTheBalanceReverts() public {
        deal(address(tokenIn), owner, AMOUNT - 1);
        bytes memory signature = _sign(_order(), ownerKey);
        vm.expectPartialRevert(ISweepErrors.SwapFailed.selector);
        ISweepDelegate(owner).execute(_order(), signature);
        deal(address(tokenIn), owner, FEE - 1);
        vm.expectRevert(ISweepErrors.TransferFailed.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function testFuzz_FeesOfOneRecipientAreOneTransfer(uint256 fee, uint256 builderFee) public {
        fee = bound(fee, 0, AMOUNT / 4);
        builderFee = bound(builderFee, 0, AMOUNT / 4);
        SweepOrder memory order = _order(owner, address(tokenIn), address(tokenOut), AMOUNT - fee - builderFee, OUT);
        (order.feeAmount, order.builder, order.builderFee) = (fee, feeRecipient, builderFee);
        vm.recordLogs();
        _executeSigned(order);
        assertEq(tokenIn.balanceOf(feeRecipient), fee + builderFee);
        // The transfer of the fees, approval, two transfers of the swap, Swept.
        assertEq(vm.getRecordedLogs().length, fee + builderFee == 0 ? 4 : 5);
    }

    function test_ZeroFeesMoveNothing() public {
        SweepOrder memory order = _order(owner, address(tokenIn), address(tokenOut), AMOUNT, OUT);
        (order.feeAmount, order.builderFee, order.builder) = (0, 0, address(0));
        vm.recordLogs();
        _executeSigned(order);
        // Approval, two transfers of the swap, Swept: no transfer of nothing.
        assertEq(vm.getRecordedLogs().length, 4);
    }

    function testFuzz_NativeInputIsWrappedAndPaysFeesWrapped(uint96 more, uint96 wrapped) public {
        vm.deal(owner, AMOUNT + more);
        _wrap(owner, wrapped);
        assertEq(_executeSigned(_order(owner, NATIVE, address(tokenOut), REST, OUT)), OUT);
        assertEq(owner.balance, more);
        assertEq(IERC20(weth).balanceOf(owner), wrapped);
        assertEq(IERC20(weth).balanceOf(feeRecipient), FEE);
        assertEq(IERC20(weth).balanceOf(builder), BUILDER_FEE);
        assertEq(IERC20(weth).balanceOf(address(router)), REST);
        assertEq(IERC20(weth).allowance(owner, address(router)), 0);
    }

    function test_NativeInputThatIsNotSpentStaysWrapped() public {
        vm.deal(owner, AMOUNT);
        _executeSigned(_order(owner, NATIVE, address(tokenOut), REST - 5, OUT));
        assertEq(IERC20(weth).balanceOf(owner), 5);
        assertEq(owner.balance, 0);
    }

    function test_NativeInputDoesNotTouchTheWrappedBalance() public {
        vm.deal(owner, AMOUNT);
        _wrap(owner, 1);
        Spender spender = new Spender();
        vm.prank(owner);
        IERC20(weth).approve(address(spender), 1);
        SweepOrder memory order = _order(owner, NATIVE, address(tokenOut), REST, OUT);
        bytes memory spend = abi.encodeCall(Spender.spend, (IERC20(weth), owner, 1));
        order.swapCalldata = abi.encodeCall(
            MockRouter.swapThrough, (address(spender), spend, weth, REST, address(tokenOut), OUT, destination)
        );
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.InputOverspent.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function test_NativeInputWithoutTheBalanceReverts() public {
        vm.deal(owner, AMOUNT - 1);
        SweepOrder memory order = _order(owner, NATIVE, address(tokenOut), REST, OUT);
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert();
        ISweepDelegate(owner).execute(order, signature);
        assertEq(owner.balance, AMOUNT - 1);
    }

    function test_NativeOutputIsMeasured() public {
        vm.deal(address(router), 2 * OUT);
        vm.deal(destination, 3 ether);
        SweepOrder memory order = _order(owner, address(tokenIn), NATIVE, REST, OUT - 1);
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.InsufficientOutput.selector);
        ISweepDelegate(owner).execute(order, signature);

        assertEq(_executeSigned(_order(owner, address(tokenIn), NATIVE, REST, OUT)), OUT);
        assertEq(destination.balance, 3 ether + OUT);
    }

    function test_NativeOutputToTheOwnerIsMeasured() public {
        vm.deal(address(router), OUT);
        vm.deal(owner, 1 ether);
        SweepOrder memory order = _order(owner, address(tokenIn), NATIVE, REST, OUT);
        order.destination = owner;
        order.swapCalldata = abi.encodeCall(MockRouter.swap, (address(tokenIn), REST, NATIVE, OUT, owner));
        assertEq(_executeSigned(order), OUT);
        assertEq(owner.balance, 1 ether + OUT);
    }

    function test_WrappedInputMayBecomeNativeOutput() public {
        vm.deal(owner, AMOUNT);
        _wrap(owner, AMOUNT);
        vm.deal(address(router), OUT);
        assertEq(_executeSigned(_order(owner, weth, NATIVE, REST, OUT)), OUT);
    }

    function test_NativeInputIsRefusedOnAChainWithoutAWrappedNative() public {
        _deploy(address(0), _one(address(router)), _none());
        _delegate(owner, address(delegate));
        vm.deal(owner, AMOUNT);
        SweepOrder memory order = _order(owner, NATIVE, address(tokenOut), 0, OUT);
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert();
        ISweepDelegate(owner).execute(order, signature);
        assertEq(owner.balance, AMOUNT);
    }

    function _wrap(address account, uint256 amount) private {
        vm.deal(address(this), amount);
        (bool ok,) = weth.call{ value: amount }(abi.encodeWithSignature("deposit()"));
        assertTrue(ok);
        IERC20(weth).transfer(account, amount);
    }
}

/// @notice Uses an allowance that it was given earlier.
contract Spender {
    function spend(IERC20 token, address from, uint256 amount) external {
        token.transferFrom(from, address(this), amount);
    }
}
