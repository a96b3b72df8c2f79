// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { DevToken } from "../src/dev/DevToken.sol";
import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { ISweepGuard } from "../src/interfaces/ISweepGuard.sol";
import { MockRouter } from "./mocks/MockRouter.sol";
import { BatchScene } from "./support/BatchScene.sol";

/// @notice One signature covers many orders, and nothing else.
contract BatchTest is BatchScene {
    function test_EveryLegSettlesAndIsLoggedAsASingleOrder() public {
        SweepOrder[] memory orders = _orders(3);
        for (uint256 i; i < 3; ++i) {
            vm.expectEmit(true, true, true, false, address(guard));
            emit ISweepGuard.Swept(
                _digest(orders[i]), owner, builder, address(0), 0, 0, 0, address(0), 0, address(0), address(0), 0, 0
            );
        }
        assertEq(_run(orders), 7);
        assertEq(tokenOut.balanceOf(destination), 3 * OUT);
        assertEq(tokenIn.balanceOf(feeRecipient), 3 * FEE);
        assertEq(tokenIn.balanceOf(owner), 0);
        assertEq(tokenIn.allowance(owner, address(router)), 0);
    }

    function test_FailedLegLeavesTheOthersAloneAndRunsLaterByItself() public {
        SweepOrder[] memory orders = _orders(3);
        orders[1].tokenIn = address(weth);
        orders[1].swapCalldata =
            abi.encodeCall(MockRouter.swap, (address(weth), REST, address(tokenOut), OUT, destination));
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory signature = _signBatch(hashes);
        assertEq(_runLegs(orders, hashes, 0, signature), 5);
        assertEq(tokenOut.balanceOf(destination), 2 * OUT);
        assertFalse(guard.isNonceUsed(owner, orders[1].nonce));

        deal(weth, owner, AMOUNT);
        SweepOrder[] memory alone = new SweepOrder[](1);
        alone[0] = orders[1];
        assertEq(_runLegs(alone, hashes, 1, signature), 1);
        assertEq(tokenOut.balanceOf(destination), 3 * OUT);
    }

    function testFuzz_FailingLegsAreTheZeroBits(uint8 failing) public {
        SweepOrder[] memory orders = _orders(8);
        uint256 good;
        for (uint256 i; i < 8; ++i) {
            if (failing >> i & 1 == 1) orders[i].minAmountOut = OUT + 1;
            else ++good;
        }
        assertEq(_run(orders), uint8(~failing));
        assertEq(tokenOut.balanceOf(destination), good * OUT);
        assertEq(tokenIn.balanceOf(owner), (8 - good) * AMOUNT);
    }

    function test_ReplaySettlesNothing() public {
        SweepOrder[] memory orders = _orders(2);
        assertEq(_run(orders), 3);
        tokenIn.mint(owner, 2 * AMOUNT);
        assertEq(_run(orders), 0);
        assertEq(tokenIn.balanceOf(owner), 2 * AMOUNT);
    }

    function test_LegAlsoRunsOnlyOnceBesideItsSingleOrder() public {
        SweepOrder[] memory orders = _orders(2);
        _executeSigned(orders[0]);
        assertEq(_run(orders), 2);
        bytes memory signature = _sign(orders[1], ownerKey);
        tokenIn.mint(owner, AMOUNT);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        ISweepDelegate(owner).execute(orders[1], signature);
    }

    function test_CancelledLegFailsAlone() public {
        SweepOrder[] memory orders = _orders(3);
        vm.prank(owner);
        ISweepDelegate(owner).cancel(orders[2].nonce);
        assertEq(_run(orders), 3);
    }

    /// @dev Legs of other chains travel as hashes, on either side of this chain's legs.
    function testFuzz_LegsOfOtherChainsStayHashes(uint8 before, uint8 behind, bytes32 own) public {
        SweepOrder[] memory orders = _orders(2);
        (uint256 a, uint256 b) = (before % 8, behind % 8);
        bytes32[] memory hashes = new bytes32[](a + 2 + b);
        for (uint256 i; i < hashes.length; ++i) {
            hashes[i] = keccak256(abi.encode(ELSEWHERE, i));
        }
        (hashes[a], hashes[a + 1]) = (_legHash(orders[0], block.chainid), _legHash(orders[1], block.chainid));
        bytes memory signature = _signBatch(hashes);
        // The hashes of the own legs are not read.
        (hashes[a], hashes[a + 1]) = (own, own);
        assertEq(_runLegs(orders, hashes, a, signature), 3);
    }

    function testFuzz_ChangedSiblingReverts(uint8 which, uint256 change) public {
        vm.assume(change != 0);
        SweepOrder[] memory orders = _orders(1);
        bytes32[] memory hashes = new bytes32[](4);
        (hashes[0], hashes[1], hashes[2], hashes[3]) =
        (ELSEWHERE, _legHash(orders[0], block.chainid), ELSEWHERE, ELSEWHERE);
        bytes memory signature = _signBatch(hashes);
        which %= 4;
        if (which == 1) which = 0;
        hashes[which] ^= bytes32(change);
        _reverts(orders, hashes, 1, signature, ISweepErrors.BadSignature.selector);
    }

    function test_SiblingsCannotBeLeftOutAddedOrMoved() public {
        SweepOrder[] memory orders = _orders(2);
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory signature = _signBatch(hashes);
        SweepOrder[] memory alone = new SweepOrder[](1);
        alone[0] = orders[0];
        _reverts(alone, _legHashes(alone), 0, signature, ISweepErrors.BadSignature.selector);
        _reverts(alone, hashes, 1, signature, ISweepErrors.BadSignature.selector);
        (orders[0], orders[1]) = (orders[1], orders[0]);
        _reverts(orders, hashes, 0, signature, ISweepErrors.BadSignature.selector);
        bytes32[] memory more = new bytes32[](3);
        (more[0], more[1], more[2]) = (hashes[0], hashes[1], ELSEWHERE);
        _reverts(orders, more, 0, signature, ISweepErrors.BadSignature.selector);
    }

    function testFuzz_LegOfAnotherChainDoesNotRunHere(uint64 chainId) public {
        vm.assume(chainId != block.chainid);
        SweepOrder[] memory orders = _orders(1);
        bytes32[] memory hashes = new bytes32[](1);
        hashes[0] = _legHash(orders[0], chainId);
        _reverts(orders, hashes, 0, _signBatch(hashes), ISweepErrors.BadSignature.selector);
    }

    function test_SameSignatureRunsEachChainsLegs() public {
        SweepOrder[] memory orders = _orders(2);
        bytes32[] memory hashes = new bytes32[](2);
        (hashes[0], hashes[1]) = (_legHash(orders[0], block.chainid), _legHash(orders[1], 10));
        bytes memory signature = _signBatch(hashes);
        SweepOrder[] memory own = new SweepOrder[](1);
        own[0] = orders[0];
        assertEq(_runLegs(own, hashes, 0, signature), 1);
        vm.chainId(10);
        orders[1].destChainId = 10;
        hashes[1] = _legHash(orders[1], 10);
        own[0] = orders[1];
        hashes[0] = _legHash(orders[0], 31_337);
        assertEq(_runLegs(own, hashes, 1, _signBatch(hashes)), 1);
    }

    function testFuzz_ChangedOrderReverts(uint8 field, uint256 change) public {
        SweepOrder[] memory orders = _orders(2);
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory signature = _signBatch(hashes);
        SweepOrder memory order = orders[1];
        field %= 14;
        if (field == 10) {
            order.swapCalldata = bytes.concat(order.swapCalldata, bytes32(change));
        } else {
            bool isAddress = field == 0 || field == 1 || field == 4 || field == 6 || field == 8 || field == 9;
            if (isAddress) change = uint160(change);
            vm.assume(change != 0);
            assembly ("memory-safe") {
                let word := add(order, mul(field, 0x20))
                mstore(word, xor(mload(word), change))
            }
        }
        _reverts(orders, hashes, 0, signature, ISweepErrors.BadSignature.selector);
    }

    function test_OtherDomainsAndSignersAreRefused() public {
        SweepOrder[] memory orders = _orders(1);
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory other = _signHash(_batchDigest(hashes, "Other", owner), ownerKey);
        _reverts(orders, hashes, 0, other, ISweepErrors.BadSignature.selector);
        other = _signHash(_batchDigest(hashes, "Service", builder), ownerKey);
        _reverts(orders, hashes, 0, other, ISweepErrors.BadSignature.selector);
        (, uint256 stranger) = makeAddrAndKey("stranger");
        other = _signHash(_batchDigest(hashes, "Service", owner), stranger);
        _reverts(orders, hashes, 0, other, ISweepErrors.BadSignature.selector);
        _reverts(orders, hashes, 0, _sign(orders[0], ownerKey), ISweepErrors.BadSignature.selector);
        _reverts(orders, hashes, 0, "", ISweepErrors.BadSignature.selector);
    }

    function test_LongAndCompactSignaturesRun() public {
        SweepOrder[] memory orders = _orders(2);
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory long = _signHash(_batchDigest(hashes, "Service", owner), ownerKey);
        assertEq(_runLegs(orders, hashes, 0, long), 3);
        assertEq(_runLegs(orders, hashes, 0, _signBatch(hashes)), 0);
    }

    /// @dev An owner who signs an order of another account moves nothing of that account.
    function test_OrderOfAnotherOwnerFails() public {
        (address victim,) = makeAddrAndKey("victim");
        _delegate(victim, address(delegate));
        tokenIn.mint(victim, AMOUNT);
        SweepOrder[] memory orders = _orders(2);
        orders[1].owner = victim;
        assertEq(_run(orders), 1);
        assertEq(tokenIn.balanceOf(victim), AMOUNT);
    }

    function testFuzz_OnlyTheAccountRunsALeg(address caller) public {
        vm.assume(caller != owner);
        SweepOrder memory order = _orders(1)[0];
        vm.expectRevert(ISweepErrors.Unauthorized.selector);
        vm.prank(caller);
        ISweepDelegate(owner).executeLeg(order);
    }

    function test_LengthsMustMatch() public {
        SweepOrder[] memory orders = _orders(2);
        bytes32[] memory hashes = _legHashes(orders);
        bytes memory signature = _signBatch(hashes);
        vm.expectRevert(ISweepDelegate.BadBatch.selector);
        ISweepDelegate(owner).executeBatch(orders, _limits(1, LIMIT), hashes, 0, signature);
        vm.expectRevert(ISweepDelegate.BadBatch.selector);
        ISweepDelegate(owner).executeBatch(orders, _limits(3, LIMIT), hashes, 0, signature);
        _reverts(orders, hashes, 1, signature, ISweepDelegate.BadBatch.selector);
        _reverts(orders, hashes, type(uint256).max, signature, ISweepDelegate.BadBatch.selector);
        _reverts(orders, new bytes32[](1), 0, signature, ISweepDelegate.BadBatch.selector);
        _reverts(orders, new bytes32[](0), 0, signature, ISweepDelegate.BadBatch.selector);
    }

    function test_NoMoreLegsThanBits() public {
        SweepOrder[] memory orders = new SweepOrder[](257);
        _reverts(orders, new bytes32[](257), 0, "", ISweepDelegate.BadBatch.selector);
    }

    function test_NoLegsDoNothing() public {
        bytes32[] memory hashes = new bytes32[](1);
        hashes[0] = ELSEWHERE;
        assertEq(_runLegs(new SweepOrder[](0), hashes, 1, _signBatch(hashes)), 0);
    }

    function test_TwentyLegs() public {
        assertEq(_run(_orders(20)), (1 << 20) - 1);
        assertEq(tokenOut.balanceOf(destination), 20 * OUT);
    }

    function test_FiftyLegs() public {
        assertEq(_run(_orders(50)), (1 << 50) - 1);
        assertEq(tokenOut.balanceOf(destination), 50 * OUT);
    }

    function test_LegThatLeavesTheChainRunsBesideOneThatStays() public {
        SweepOrder[] memory orders = _orders(2);
        uint256 nonce = orders[1].nonce;
        orders[1] = _bridged(REST, 0);
        orders[1].nonce = nonce;
        assertEq(_run(orders), 3);
        assertEq(tokenIn.balanceOf(address(bridge)), REST);
    }

    /// @dev A nonce of another deployment is refused in a leg as in a single order, and harms no other leg.
    function testFuzz_LegOfAnotherGuardFailsAlone(uint128 prefix, uint8 which) public {
        vm.assume(prefix != uint128(uint160(address(guard))));
        which %= 3;
        SweepOrder[] memory orders = _orders(3);
        orders[which].nonce = uint256(prefix) << 128 | which;
        assertEq(_run(orders), 7 ^ (1 << which));
        assertEq(tokenIn.balanceOf(owner), AMOUNT);
    }

    /// @dev Whatever the amounts are, each leg takes its own, to the wei.
    function testFuzz_LegsAreExact(uint256[4] memory amounts, uint256[4] memory fees, uint256[4] memory builderFees)
        public
    {
        SweepOrder[] memory orders = _orders(4);
        uint256[4] memory sums;
        for (uint256 i; i < 4; ++i) {
            SweepOrder memory order = orders[i];
            order.amountIn = bound(amounts[i], 1, 1e30);
            order.feeAmount = bound(fees[i], 0, order.amountIn - 1);
            order.builderFee = bound(builderFees[i], 0, order.amountIn - order.feeAmount - 1);
            uint256 rest = order.amountIn - order.feeAmount - order.builderFee;
            order.swapCalldata =
                abi.encodeCall(MockRouter.swap, (address(tokenIn), rest, address(tokenOut), OUT + i, destination));
            (sums[0], sums[1]) = (sums[0] + order.amountIn, sums[1] + order.feeAmount);
            (sums[2], sums[3]) = (sums[2] + order.builderFee, sums[3] + rest);
        }
        deal(address(tokenIn), owner, sums[0] + 1);
        assertEq(_run(orders), 15);
        assertEq(tokenIn.balanceOf(owner), 1);
        assertEq(tokenIn.balanceOf(feeRecipient), sums[1]);
        assertEq(tokenIn.balanceOf(builder), sums[2]);
        assertEq(tokenIn.balanceOf(address(router)), sums[3]);
        assertEq(tokenOut.balanceOf(destination), 4 * OUT + 6);
        assertEq(tokenIn.allowance(owner, address(router)), 0);
    }

    function test_FeesOfOneRecipientAreOneTransferInEachLeg() public {
        SweepOrder[] memory orders = _orders(2);
        orders[1].builder = feeRecipient;
        vm.recordLogs();
        assertEq(_run(orders), 3);
        assertEq(tokenIn.balanceOf(feeRecipient), 2 * FEE + BUILDER_FEE);
        assertEq(tokenIn.balanceOf(builder), BUILDER_FEE);
        // Two transfers of fees and then one; approval, two transfers of the swap and Swept for each.
        assertEq(vm.getRecordedLogs().length, 11);
    }

    /// @dev Native input is wrapped, so its leg and one of the wrapped token work on one balance.
    function testFuzz_NativeInputRunsBesideTheWrappedToken(bool nativeFirst) public {
        SweepOrder[] memory orders = _orders(2);
        (uint256 a, uint256 b) = nativeFirst ? (0, 1) : (1, 0);
        orders[a] = _order(owner, NATIVE, address(tokenOut), REST, OUT);
        orders[b] = _order(owner, weth, address(tokenOut), REST, OUT);
        (orders[a].nonce, orders[b].nonce) = (_nonce(a), _nonce(b));
        vm.deal(owner, AMOUNT + 1);
        _wrap(AMOUNT + 1);
        assertEq(_run(orders), 3);
        assertEq(owner.balance, 1);
        assertEq(DevToken(weth).balanceOf(owner), 1);
        assertEq(DevToken(weth).balanceOf(feeRecipient), 2 * FEE);
        assertEq(tokenOut.balanceOf(destination), 2 * OUT);
    }

    /// @dev Neither eats the other's balance: with too little for one of them, only that one fails.
    function test_NativeInputDoesNotSpendWhatWasWrappedBefore() public {
        SweepOrder[] memory orders = _orders(2);
        orders[0] = _order(owner, NATIVE, address(tokenOut), REST, OUT);
        orders[1] = _order(owner, weth, address(tokenOut), REST, OUT);
        orders[1].nonce = _nonce(1);
        vm.deal(owner, AMOUNT - 1);
        _wrap(AMOUNT);
        assertEq(_run(orders), 2);
        assertEq(owner.balance, AMOUNT - 1);
    }

    function _wrap(uint256 amount) private {
        vm.deal(address(this), amount);
        (bool ok,) = weth.call{ value: amount }(abi.encodeWithSignature("deposit()"));
        assertTrue(ok && DevToken(weth).transfer(owner, amount));
    }
}
