// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { SweepTest } from "./support/SweepTest.sol";

/// @notice The code lacks the instructions for dangerous operations, and it is the code that is shipped.
contract BytecodeTest is SweepTest {
    uint8 private constant ORIGIN = 0x32;
    uint8 private constant SLOAD = 0x54;
    uint8 private constant SSTORE = 0x55;
    uint8 private constant TSTORE = 0x5d;
    uint8 private constant CREATE = 0xf0;
    uint8 private constant CALLCODE = 0xf2;
    uint8 private constant DELEGATECALL = 0xf4;
    uint8 private constant CREATE2 = 0xf5;
    uint8 private constant SELFDESTRUCT = 0xff;

    address private router;

    function setUp() public {
        router = _create(abi.encodePacked(_released("UniswapV4Router"), abi.encode(address(1), address(2))));
        _deploy(address(1), _none(), _none());
    }

    function test_NothingRunsForeignCodeOrDestroysItself() public view {
        address[4] memory contracts = [address(delegate), address(guard), address(entry), router];
        for (uint256 i; i < contracts.length; ++i) {
            bool[256] memory used = _instructions(contracts[i].code);
            assertFalse(used[ORIGIN], "ORIGIN");
            assertFalse(used[DELEGATECALL] || used[CALLCODE], "DELEGATECALL");
            assertFalse(used[SELFDESTRUCT], "SELFDESTRUCT");
            assertFalse(used[CREATE] || used[CREATE2], "CREATE");
        }
    }

    /// @dev Without storage there is no initialiser, no upgrade, and no state that another delegate could change.
    function test_DelegateEntryAndRouterHaveNoStorage() public view {
        address[3] memory contracts = [address(delegate), address(entry), router];
        for (uint256 i; i < contracts.length; ++i) {
            bool[256] memory used = _instructions(contracts[i].code);
            assertFalse(used[SLOAD] || used[SSTORE] || used[TSTORE], "storage");
        }
        // The search finds an instruction that is present.
        bool[256] memory guards = _instructions(address(guard).code);
        assertTrue(guards[SLOAD] && guards[SSTORE] && guards[TSTORE]);
    }

    function test_GuardAndDelegateKnowEachOther() public view {
        assertEq(delegate.guard(), address(guard));
        assertEq(guard.delegate(), address(delegate));
        assertEq(address(delegate), vm.computeCreateAddress(address(guard), 1));
        assertEq(guard.owner(), admin);
        assertEq(guard.timelock(), TIMELOCK);
        assertEq(delegate.feeRecipient(), feeRecipient);
        assertEq(delegate.wrappedNative(), address(1));
    }

    /// @dev `bun contracts/generate.ts` compiles separately. These tests must cover the same bytes.
    function test_ShippedCodeIsTheTestedCode() public {
        string memory shipped = vm.readFile("../src/adapters/evm/abi/contracts.generated.ts");
        assertTrue(vm.contains(shipped, vm.toString(_released("SweepDelegate"))), "SweepDelegate");
        assertTrue(vm.contains(shipped, vm.toString(_released("SweepGuard"))), "SweepGuard");
        assertTrue(vm.contains(shipped, vm.toString(_released("SweepEntry"))), "SweepEntry");
        string memory routers = vm.readFile("../src/adapters/evm/abi/routers.generated.ts");
        assertTrue(vm.contains(routers, vm.toString(_released("UniswapV4Router"))), "UniswapV4Router");
    }

    /// @dev Instructions of a contract, without the data of PUSH instructions.
    function _instructions(bytes memory code) private pure returns (bool[256] memory used) {
        for (uint256 i; i < code.length; ++i) {
            uint8 instruction = uint8(code[i]);
            used[instruction] = true;
            if (instruction >= 0x60 && instruction <= 0x7f) i += instruction - 0x5f;
        }
    }
}
