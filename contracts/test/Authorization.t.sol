// SPDX-License-Identifier: MIT
pragma solidity ^0.8.37;

import { ISweepDelegate, SweepOrder } from "../src/interfaces/ISweepDelegate.sol";
import { ISweepErrors } from "../src/interfaces/ISweepErrors.sol";
import { ISweepGuard } from "../src/interfaces/ISweepGuard.sol";
import { MockScene } from "./support/MockScene.sol";

/// @notice Only the order that the owner signed runs, on the owner's account, once.
contract AuthorizationTest is MockScene {
    uint256 private constant CURVE_ORDER = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141;

    function test_SignedOrderRuns() public {
        assertEq(_executeSigned(_order()), OUT);
        assertEq(tokenOut.balanceOf(destination), OUT);
    }

    function testFuzz_TamperingWithAnyFieldReverts(uint8 field, uint256 change) public {
        SweepOrder memory order = _order();
        bytes memory signature = _sign(order, ownerKey);
        field = uint8(bound(field, 0, 13));
        change = bound(change, 1, type(uint160).max);
        _tamper(order, field, change);
        vm.expectRevert(field == 0 ? ISweepErrors.OwnerMismatch.selector : ISweepErrors.BadSignature.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function test_EveryFieldIsSigned() public {
        bytes memory signature = _sign(_order(), ownerKey);
        for (uint8 field = 1; field < 14; ++field) {
            SweepOrder memory order = _order();
            _tamper(order, field, 1);
            vm.expectRevert(ISweepErrors.BadSignature.selector);
            ISweepDelegate(owner).execute(order, signature);
        }
        _execute(_order(), signature);
    }

    function test_OrderOfAnotherOwnerReverts() public {
        (address other, uint256 otherKey) = makeAddrAndKey("other");
        SweepOrder memory order = _order();
        order.owner = other;
        bytes memory signature = _sign(order, otherKey);
        vm.expectRevert(ISweepErrors.OwnerMismatch.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function testFuzz_SignatureOfAnotherKeyReverts(uint256 key) public {
        key = bound(key, 1, CURVE_ORDER - 1);
        vm.assume(key != ownerKey);
        bytes memory signature = _sign(_order(), key);
        vm.expectRevert(ISweepErrors.BadSignature.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function testFuzz_SignatureOfAnotherLengthReverts(bytes memory signature) public {
        vm.expectRevert(ISweepErrors.BadSignature.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function testFuzz_WrongDomainReverts(uint256 chainId, address verifier, string memory name) public {
        SweepOrder memory order = _order();
        if (chainId != block.chainid) _refuses(order, _digest(order, "Service", chainId, owner));
        if (verifier != owner) _refuses(order, _digest(order, "Service", block.chainid, verifier));
        if (keccak256(bytes(name)) != keccak256("Service")) {
            _refuses(order, _digest(order, name, block.chainid, owner));
        }
    }

    function test_DomainWithoutAChainReverts() public {
        SweepOrder memory order = _order();
        _refuses(order, _digest(order, "Service", 0, owner));
    }

    function test_SignatureIsWorthNothingOnAnotherChain() public {
        SweepOrder memory order = _order();
        order.destChainId = 10;
        order.minAmountOut = 0;
        bytes memory signature = _sign(order, ownerKey);
        vm.chainId(10);
        vm.expectRevert(ISweepErrors.BadSignature.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function test_SignatureOfTheBareStructHashReverts() public {
        _refuses(_order(), _structHash(_order()));
    }

    function test_ReplayReverts() public {
        bytes memory signature = _sign(_order(), ownerKey);
        _execute(_order(), signature);
        tokenIn.mint(owner, AMOUNT);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function test_AnotherOrderWithASpentNonceReverts() public {
        _executeSigned(_order());
        tokenIn.mint(owner, AMOUNT);
        SweepOrder memory order = _order();
        order.minAmountOut -= 1;
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function testFuzz_NoncesRunInAnyOrderOnceEach(uint128 i, uint128 j) public {
        vm.assume(i != j);
        (uint256 a, uint256 b) = (_nonce(i), _nonce(j));
        tokenIn.mint(owner, AMOUNT);
        SweepOrder memory first = _order();
        SweepOrder memory second = _order();
        (first.nonce, second.nonce) = (a, b);
        _executeSigned(first);
        assertTrue(guard.isNonceUsed(owner, a));
        assertFalse(guard.isNonceUsed(owner, b));
        _executeSigned(second);
        assertTrue(guard.isNonceUsed(owner, b));
        assertEq(guard.nonceBitmap(owner, a >> 8) >> (a & 0xff) & 1, 1);
    }

    function test_NoncesOfOwnersAreSeparate() public {
        _executeSigned(_order());
        assertFalse(guard.isNonceUsed(destination, _nonce(0)));
    }

    function test_CompactSignatureRunsAndIsSpentWithTheLongOne() public {
        SweepOrder memory order = _order();
        bytes memory long = _sign(order, ownerKey);
        (bytes32 r, bytes32 vs) = vm.signCompact(ownerKey, _digest(order));
        _execute(order, abi.encodePacked(r, vs));
        tokenIn.mint(owner, AMOUNT);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        ISweepDelegate(owner).execute(order, long);
    }

    function test_MalleatedSignatureIsSpentWithTheOriginal() public {
        SweepOrder memory order = _order();
        (uint8 v, bytes32 r, bytes32 s) = vm.sign(ownerKey, _digest(order));
        bytes memory high = abi.encodePacked(r, CURVE_ORDER - uint256(s), v == 27 ? uint8(28) : uint8(27));
        _execute(order, high);
        tokenIn.mint(owner, AMOUNT);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        ISweepDelegate(owner).execute(order, abi.encodePacked(r, s, v));
    }

    /// @dev The signature covers the dirty words as sent, so only the check of the bits refuses them.
    function test_AddressWithDirtyBitsReverts() public {
        SweepOrder memory order = _order();
        uint8[6] memory fields = [0, 1, 4, 6, 8, 9];
        for (uint256 i; i < fields.length; ++i) {
            for (uint256 bit = 160; bit < 256; ++bit) {
                (bool ok, bytes memory result) = owner.call(_signedWords(order, fields[i], 1 << bit));
                assertFalse(ok);
                assertEq(result.length, 0);
            }
        }
        (bool clean,) = owner.call(_signedWords(order, 0, 0));
        assertTrue(clean);
    }

    function test_ImplementationRunsNothing() public {
        SweepOrder memory order = _order();
        bytes memory signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.OwnerMismatch.selector);
        delegate.execute(order, signature);

        order.owner = address(delegate);
        signature = _sign(order, ownerKey);
        vm.expectRevert(ISweepErrors.BadSignature.selector);
        delegate.execute(order, signature);
    }

    function test_CancelledOrderReverts() public {
        vm.expectEmit(address(guard));
        emit ISweepGuard.Cancelled(owner, _nonce(0));
        vm.prank(owner);
        ISweepDelegate(owner).cancel(_nonce(0));
        bytes memory signature = _sign(_order(), ownerKey);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function test_NonceIsCancelledBeforeTheAccountIsDelegated() public {
        vm.etch(owner, "");
        vm.prank(owner);
        guard.cancel(_nonce(0));
        _delegate(owner, address(delegate));
        bytes memory signature = _sign(_order(), ownerKey);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        ISweepDelegate(owner).execute(_order(), signature);
    }

    function testFuzz_OnlyTheAccountCancels(address caller) public {
        vm.assume(caller != owner);
        vm.expectRevert(ISweepErrors.Unauthorized.selector);
        vm.prank(caller);
        ISweepDelegate(owner).cancel(_nonce(0));
    }

    function test_NothingIsCancelledTwice() public {
        vm.startPrank(owner);
        guard.cancel(_nonce(7));
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        guard.cancel(_nonce(7));
    }

    /// @dev Front-running changes nothing: one call settles the order, and the others revert.
    function test_FrontRunOrderSettlesOnce() public {
        bytes memory signature = _sign(_order(), ownerKey);
        vm.prank(makeAddr("front-runner"));
        ISweepDelegate(owner).execute(_order(), signature);
        assertEq(tokenOut.balanceOf(destination), OUT);
        assertEq(tokenIn.balanceOf(feeRecipient), FEE);

        tokenIn.mint(owner, AMOUNT);
        vm.expectRevert(ISweepErrors.NonceUsed.selector);
        vm.prank(relayer);
        ISweepDelegate(owner).execute(_order(), signature);
        assertEq(tokenOut.balanceOf(destination), OUT);
        assertEq(tokenIn.balanceOf(owner), AMOUNT);
    }

    function test_DomainIsPublished() public view {
        (bytes1 fields, string memory name, string memory version, uint256 chainId, address verifier,,) =
            ISweepDelegate(owner).eip712Domain();
        assertEq(fields, hex"0f");
        assertEq(name, "Service");
        assertEq(version, "1");
        assertEq(chainId, block.chainid);
        assertEq(verifier, owner);
    }

    /// @dev Calldata in which field `field` also has the bits of `dirt`, with a signature of exactly those words.
    function _signedWords(SweepOrder memory order, uint256 field, uint256 dirt) private view returns (bytes memory) {
        // Selector and two offsets come first, then one word per field.
        uint256 head = 4 + 64;
        bytes memory data = abi.encodeCall(ISweepDelegate.execute, (order, new bytes(65)));
        assembly ("memory-safe") {
            let word := add(add(data, 0x20), add(head, mul(field, 0x20)))
            mstore(word, or(mload(word), dirt))
        }
        bytes memory words = new bytes(14 * 32);
        for (uint256 i; i < words.length; ++i) {
            words[i] = data[head + i];
        }
        bytes32 swapCalldataHash = keccak256(order.swapCalldata);
        assembly ("memory-safe") {
            mstore(add(words, 0x160), swapCalldataHash)
        }
        (,,,, address verifier,,) = ISweepDelegate(owner).eip712Domain();
        bytes32 domain = keccak256(
            abi.encode(
                keccak256("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"),
                keccak256("Service"),
                keccak256("1"),
                block.chainid,
                verifier
            )
        );
        bytes32 structHash = keccak256(
            bytes.concat(
                keccak256(
                    "SweepOrder(address owner,address tokenIn,uint256 amountIn,uint256 feeAmount,address builder,uint256 builderFee,address tokenOut,uint256 minAmountOut,address destination,address swapTarget,bytes swapCalldata,uint256 deadline,uint256 nonce,uint256 destChainId)"
                ),
                words
            )
        );
        bytes memory signature = _signHash(keccak256(abi.encodePacked(hex"1901", domain, structHash)), ownerKey);
        // The signature is the last of the data: 65 bytes and 31 of padding.
        for (uint256 i; i < 65; ++i) {
            data[data.length - 96 + i] = signature[i];
        }
        return data;
    }

    function _refuses(SweepOrder memory order, bytes32 hash) private {
        bytes memory signature = _signHash(hash, ownerKey);
        vm.expectRevert(ISweepErrors.BadSignature.selector);
        ISweepDelegate(owner).execute(order, signature);
    }

    function _tamper(SweepOrder memory order, uint8 field, uint256 change) private pure {
        if (field == 10) {
            order.swapCalldata = bytes.concat(order.swapCalldata, bytes32(change));
            return;
        }
        uint256 mask = field == 0 || field == 1 || field == 4 || field == 6 || field == 8 || field == 9
            ? type(uint160).max
            : type(uint256).max;
        assembly ("memory-safe") {
            let word := add(order, mul(field, 0x20))
            mstore(word, and(xor(mload(word), change), mask))
        }
    }
}
