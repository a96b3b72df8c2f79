// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepEntry } from "../src/interfaces/ISweepEntry.sol";
import { GasBurner, ReturnBomb } from "./mocks/HostileAccounts.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice One sweep of a batch never affects another.
contract EntryTest is MockScene {
    uint64 private constant GAS = 400_000;

    function test_EmptyBatch() public {
        assertEq(entry.run(new ISweepEntry.Item[](0)), 0);
    }

    function test_BatchSettlesEverySweep() public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](3);
        for (uint256 i; i < 3; ++i) {
            items[i] = _sweepOf(string.concat("owner ", vm.toString(i)));
        }
        assertEq(entry.run(items), 7);
        assertEq(tokenOut.balanceOf(destination), 3 * OUT);
    }

    /// @dev Their owners have delegated them elsewhere, or taken the delegation back, ahead of the transaction.
    function test_AccountsOfOtherCodeAreSkipped() public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](8);
        items[0] = _sweepOf("first");
        items[1] = _sweepOf("with a bomb");
        items[2] = _sweepOf("with a burner");
        items[3] = _sweepOf("without code");
        _delegate(items[1].account, address(new ReturnBomb()));
        _delegate(items[2].account, address(new GasBurner()));
        vm.etch(items[3].account, "");
        items[4] = ISweepEntry.Item(makeAddr("nobody"), GAS, "");
        items[5] = _sweepOf("second");
        items[6] = items[5];
        items[7] = _sweepOf("third");
        assertEq(entry.run(items), 1 | 1 << 5 | 1 << 7);
        assertEq(tokenOut.balanceOf(destination), 3 * OUT);
    }

    /// @dev It costs its calldata, a cold account and the loop.
    function testFuzz_SkippedItemCostsNextToNothing(address other, uint64 gasLimit) public {
        vm.assume(other != address(delegate));
        ISweepEntry.Item[] memory items = _items(_order(), _sign(_order(), ownerKey));
        items[0].gasLimit = gasLimit;
        _delegate(owner, other);
        vm.expectCall(owner, "", 0);
        uint256 before = gasleft();
        assertEq(entry.run(items), 0);
        assertLt(before - gasleft(), 60_000);
    }

    /// @dev Whatever the code does. The bombs' output is not copied, so that nothing is spent beyond the items' own limits.
    function test_HostileCodeLeavesTheOtherItemsAlone() public {
        Fickle fickle = new Fickle();
        ISweepEntry hostile = _entry(address(fickle));
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](5);
        for (uint256 i; i < 5; ++i) {
            items[i] = ISweepEntry.Item(makeAddr(string.concat("account ", vm.toString(i))), GAS, "");
            _delegate(items[i].account, address(fickle));
        }
        items[0].data = items[4].data = abi.encode(1);
        items[1].data = hex"01";
        items[2].data = hex"0102";
        uint256 before = gasleft();
        assertEq(hostile.run(items), 1 | 1 << 4);
        assertLt(before - gasleft(), 4 * uint256(GAS));
    }

    function testFuzz_FailingSweepsAreTheZeroBits(uint8 failing) public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](8);
        uint256 good;
        for (uint256 i; i < 8; ++i) {
            items[i] = _sweepOf(string.concat("owner ", vm.toString(i)));
            if (failing >> i & 1 == 1) items[i].data[items[i].data.length - 64] ^= 0x01;
            else ++good;
        }
        assertEq(entry.run(items), uint8(~failing));
        assertEq(tokenOut.balanceOf(destination), good * OUT);
    }

    /// @dev A stale authorization leaves an account without code. A call of it would succeed and prove nothing.
    function test_AccountWithoutCodeIsNoSuccess() public {
        vm.etch(owner, "");
        ISweepEntry.Item[] memory items = _items(_order(), _sign(_order(), ownerKey));
        vm.recordLogs();
        assertEq(entry.run(items), 0);
        assertEq(vm.getRecordedLogs().length, 0);
        (bool ok, bytes memory result) = owner.call(items[0].data);
        assertTrue(ok && result.length == 0);
    }

    function test_ItemGetsNoMoreThanItsLimit() public {
        ISweepEntry.Item[] memory items = _items(_order(), _sign(_order(), ownerKey));
        items[0].gasLimit = 50_000;
        assertEq(entry.run(items), 0);
        assertFalse(guard.isNonceUsed(owner, _nonce(0)));
    }

    /// @dev Whatever gas the caller supplies, an item runs with its full limit or the batch reverts.
    function testFuzz_ItemNeverGetsLessThanItsLimit(uint256 supplied) public {
        ISweepEntry metered = _metered();
        supplied = bound(supplied, 30_000, 600_000);
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](1);
        items[0] = ISweepEntry.Item(owner, 200_000, "");
        try metered.run{ gas: supplied }(items) returns (uint256 okBitmap) {
            assertEq(okBitmap, 1);
            assertGe(Meter(owner).seen(), 200_000 - 200);
        } catch (bytes memory reason) {
            assertTrue(reason.length == 0 || bytes4(reason) == ISweepEntry.InsufficientGas.selector);
            assertLt(supplied, 260_000);
        }
    }

    /// @dev Copying the calldata takes gas as well, which must not come out of the item's limit.
    function testFuzz_ItemWithMuchCalldataNeverGetsLessThanItsLimit(uint256 supplied) public {
        ISweepEntry metered = _metered();
        supplied = bound(supplied, 200_000, 320_000);
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](1);
        items[0] = ISweepEntry.Item(owner, 200_000, new bytes(60_000));
        bytes memory data = abi.encodeCall(entry.run, (items));
        (bool ok,) = address(metered).call{ gas: supplied }(data);
        if (ok) assertGe(Meter(owner).seen(), 200_000 - 30_000);
        else assertEq(Meter(owner).seen(), 0);
    }

    function test_TooLittleGasReverts() public {
        ISweepEntry.Item[] memory items = _items(_order(), _sign(_order(), ownerKey));
        vm.expectRevert(ISweepEntry.InsufficientGas.selector);
        entry.run{ gas: 390_000 }(items);
    }

    function test_NoMoreItemsThanBits() public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](257);
        vm.expectRevert(ISweepEntry.TooManyItems.selector);
        entry.run(items);
    }

    function test_LastBitIsUsed() public {
        ISweepEntry.Item[] memory items = new ISweepEntry.Item[](256);
        items[255] = _sweepOf("last");
        assertEq(entry.run(items), 1 << 255);
    }

    /// @dev Delegates the owner to a meter, and deploys an entry that runs it.
    function _metered() private returns (ISweepEntry) {
        Meter meter = new Meter();
        _delegate(owner, address(meter));
        return _entry(address(meter));
    }

    function _sweepOf(string memory name) private returns (ISweepEntry.Item memory) {
        (address account, uint256 key) = makeAddrAndKey(name);
        _delegate(account, address(delegate));
        tokenIn.mint(account, AMOUNT);
        SweepOrder memory order = _order(account, address(tokenIn), address(tokenOut), REST, OUT);
        return _item(order, _sign(order, key), GAS);
    }
}

/// @notice Notes the gas it was called with.
contract Meter {
    uint256 public seen;

    fallback(bytes calldata) external returns (bytes memory) {
        uint256 gas = gasleft();
        seen = gas;
        return abi.encode(gas);
    }
}

/// @notice Burns its gas without calldata, reverts with much data for one byte of it, returns much for two, and one word for a word.
contract Fickle {
    fallback() external {
        if (msg.data.length == 0) while (true) { }
        bool fails = msg.data.length == 1;
        uint256 size = msg.data.length == 32 ? 32 : 300_000;
        assembly ("memory-safe") {
            if fails { revert(0, size) }
            return(0, size)
        }
    }
}
